import { expect, test } from "vitest";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { backup, readyNas, repository, restore } from "../testing/samples.ts";
import { claimObjection, halfWrittenWarning, heldObjection } from "./deletion_webhooks.ts";

const claim = (name: string, namespace = "billing") => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace, uid: "u", resourceVersion: "1", creationTimestamp: "2026-05-24T00:00:00Z" },
});
const ON_CLAIM = { spec: { backend: { filesystem: { pvc: { name: "store" }, path: "/" } } } };
const used = readyNas({ ...ON_CLAIM, status: { storageStats: { snapshotCount: 7 } } });

const FACTS = { operatorNamespace: "holdfast", known: () => 0 };

test.each([
  ["the claim of a repository", claim("store"), [used], true],
  ["another claim", claim("documents"), [used], false],
  ["one of that name elsewhere", claim("store", "shop"), [used], false],
  ["that of a repository which never was", claim("store"), [repository(ON_CLAIM)], false],
  [
    "that of one which is going",
    claim("store"),
    [readyNas({ ...ON_CLAIM, metadata: { deletionTimestamp: "now" } })],
    false,
  ],
])("%s is protected: %4$s", (_, object, repositories, refused) => {
  expect(claimObjection(object, repositories, FACTS) !== undefined).toBe(refused);
});

test("the refusal says what would be lost, and how to go on", () => {
  expect(claimObjection(claim("store"), [used], FACTS)).toBe(
    "PVC billing/store holds the repository of Repository billing/nas, with 7 snapshots: deleting it would delete all of them. If that is meant, delete the Repository first, then the PVC.",
  );
});

test("snapshots that the repository had not when it was asked last count, too", () => {
  const fresh = readyNas({ ...ON_CLAIM, status: { storageStats: { snapshotCount: 0 } } });
  const objection = (known: number) =>
    claimObjection(claim("store"), [fresh], { ...FACTS, known: () => known });
  expect(objection(2)).toContain("with 2 snapshots: ");
  expect(objection(0)).toContain("with its snapshots: ");
});

test("a Backup that is held is not deleted, and says how it could be", () => {
  expect(heldObjection(backup())).toBeUndefined();
  const held = backup({ metadata: { annotations: { [ANNOTATIONS.hold]: "true" } } });
  expect(heldObjection(held)).toMatch(
    /^Backup billing\/.* is held by the annotation .*holdfast unhold backup\//,
  );
});

const incomplete = [
  {
    type: "TargetIncomplete",
    status: "True",
    reason: "RestoreBrokenOff",
    message: "m",
    lastTransitionTime: "2026-05-24T00:00:00Z",
  },
] as const;
const writing = { work: { restore: { attempt: 1, step: "Work", failures: 0, job: "uid-job" } } };
const inPlace = { pvcRef: { name: "data" } };
test.each([
  ["left its volume half written", inPlace, { phase: "Failed", conditions: [...incomplete] }, true],
  ["writes", inPlace, { phase: "Restoring", ...writing }, true],
  ["has completed", inPlace, { phase: "Completed" }, false],
  ["fills a new claim", { pvc: { name: "data" } }, { phase: "Restoring", ...writing }, false],
] as const)("whoever deletes a Restore that %s is warned: %4$s", (_, target, status, warned) => {
  const found = halfWrittenWarning(restore({ spec: { target }, status } as never));
  expect(found !== undefined).toBe(warned);
});

test("the warning says what comes back, and how to go on", () => {
  const target = { pvcRef: { name: "data", scaleDownWorkloads: true } };
  const status = { phase: "Failed", conditions: [...incomplete] };
  expect(halfWrittenWarning(restore({ spec: { target }, status } as never))).toMatch(
    /^PVC .*\/data holds a part of the old and a part of the restored data: no backup .* What was scaled down for it comes back onto that volume\. Restore into the PVC again\. To go back with holdfast restore --undo needs Restore /,
  );
});
