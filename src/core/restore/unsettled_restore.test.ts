import { expect, test } from "vitest";
import type { KubeObject } from "../../kube/object.ts";
import type { Restore, RestoreState } from "./restore.ts";
import { restore as sample } from "./testing/restore_samples.ts";
import { unsettledRestore } from "./unsettled_restore.ts";

const incomplete = {
  type: "TargetIncomplete",
  status: "True",
  reason: "RestoreBrokenOff",
  message: "",
  lastTransitionTime: "2026-05-24T12:00:00Z",
} as const;

const claimAt = (creationTimestamp: string): KubeObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", uid: "uid-data", resourceVersion: "1", creationTimestamp },
});
const claim = claimAt("2026-05-24T11:00:00Z");

function restore(status: RestoreState, intoEmpty = false): Restore {
  const { options } = sample().spec;
  const target = { pvcRef: { name: "data", scaleDownWorkloads: true } };
  return sample({
    metadata: { creationTimestamp: "2026-05-24T11:59:00Z" },
    spec: { target, options: { ...options, existingFiles: intoEmpty ? "Refuse" : "Overwrite" } },
    status,
  });
}

const ended = (endTime: string) => ({ timing: { startTime: "2026-05-24T11:59:10Z", endTime } });
const failed = (more: Partial<RestoreState> = {}): RestoreState => ({
  phase: "Failed",
  ...ended("2026-05-24T12:00:00Z"),
  ...more,
});
const completed = (at: string): RestoreState => ({ phase: "Completed", ...ended(at) });
const failure = { errorClass: "TargetExists", message: "", retry: "terminal" } as const;

test.each<[string, readonly Restore[], boolean]>([
  ["one into an empty volume that failed", [restore(failed(), true)], true],
  ["one that was broken off", [restore(failed({ conditions: [incomplete] }))], true],
  ["one that failed before it wrote over data", [restore(failed())], false],
  ["one into a volume with data of its own", [restore(failed({ failure }), true)], false],
  ["one that runs", [restore({ phase: "Restoring" }, true)], false],
  ["one that completed", [restore(completed("2026-05-24T12:00:00Z"), true)], false],
  [
    "one that another one made up for",
    [restore(failed(), true), restore(completed("2026-05-24T12:30:00Z"))],
    false,
  ],
  [
    "one after another one that had completed",
    [restore(completed("2026-05-24T11:59:30Z")), restore(failed(), true)],
    true,
  ],
  [
    "one into an earlier claim of the name",
    [restore(failed({ target: { pvcRef: { name: "data", uid: "uid-before" } } }), true)],
    false,
  ],
])("unsettledRestore(): %s", (_, restores, unsettled) => {
  expect(unsettledRestore(restores, claim) !== undefined).toBe(unsettled);
});

test("unsettledRestore(): one that is older than the claim is not about it", () => {
  expect(unsettledRestore([restore(failed(), true)], claimAt("2026-05-24T12:10:00Z"))).toBeUndefined();
});
