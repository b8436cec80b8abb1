import { expect, test } from "vitest";
import type { ResticRestore } from "../../../kinds/autorestore/generated/restic_restore.ts";
import { sampleClaim, sampleRestore } from "../testing/samples.ts";
import { unsettledRestore } from "./unsettled_restore.ts";

type Status = NonNullable<ResticRestore["status"]>;

const incomplete = {
  type: "TargetIncomplete",
  status: "True",
  reason: "RestoreBrokenOff",
  message: "",
  lastTransitionTime: "2026-05-24T12:00:00Z",
} as const;
const claim = sampleClaim("data");

function restore(status: Status, auto = false): ResticRestore {
  return { ...sampleRestore({ onlyIfEmpty: auto }), status };
}

const failed = (more: Partial<Status> = {}): Status => ({
  phase: "Failed",
  completionTime: "2026-05-24T12:00:00Z",
  ...more,
});

test.each<[string, readonly ResticRestore[], boolean]>([
  ["an auto-restore that failed", [restore(failed(), true)], true],
  ["one that was broken off", [restore(failed({ conditions: [incomplete] }))], true],
  ["one that failed before it wrote over data", [restore(failed())], false],
  [
    "an auto-restore into a volume with data of its own",
    [restore(failed({ state: { failure: { errorClass: "TargetExists" } } }), true)],
    false,
  ],
  ["one that runs", [restore({ phase: "Running" }, true)], false],
  ["one that completed", [restore({ phase: "Completed" }, true)], false],
  [
    "one that another one made up for",
    [restore(failed(), true), restore({ phase: "Completed", completionTime: "2026-05-24T12:30:00Z" })],
    false,
  ],
  [
    "one after another one that had completed",
    [restore({ phase: "Completed", completionTime: "2026-05-24T11:59:30Z" }), restore(failed(), true)],
    true,
  ],
  [
    "one into an earlier PVC of the name",
    [restore(failed({ state: { target: { pvcRef: { name: "data", uid: "uid-before" } } } }), true)],
    false,
  ],
])("%s", (_, restores, unsettled) => {
  expect(unsettledRestore(restores, claim) !== undefined).toBe(unsettled);
});

test("one that is older than the PVC is not about it", () => {
  const later = sampleClaim("data", { creationTimestamp: "2026-05-24T12:10:00Z" });
  expect(unsettledRestore([restore(failed(), true)], later)).toBeUndefined();
});
