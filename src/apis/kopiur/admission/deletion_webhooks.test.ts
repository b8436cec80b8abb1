import { expect, test } from "vitest";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { backup, readyNas, repository } from "../testing/samples.ts";
import { claimObjection, heldObjection } from "./deletion_webhooks.ts";

const claim = (name: string, namespace = "billing") => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace, uid: "u", resourceVersion: "1", creationTimestamp: "2026-05-24T00:00:00Z" },
});
const ON_CLAIM = { spec: { backend: { filesystem: { pvc: { name: "store" }, path: "/" } } } };
const used = readyNas({ ...ON_CLAIM, status: { storageStats: { snapshotCount: 7 } } });

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
  expect(claimObjection(object, repositories, "holdfast") !== undefined).toBe(refused);
});

test("the refusal says what would be lost, and how to go on", () => {
  expect(claimObjection(claim("store"), [used], "holdfast")).toBe(
    "PVC billing/store holds the repository of Repository billing/nas, with 7 snapshots: deleting it would delete all of them. If that is meant, delete the Repository first, then the PVC.",
  );
});

test("a Backup that is held is not deleted, and says how it could be", () => {
  expect(heldObjection(backup())).toBeUndefined();
  const held = backup({ metadata: { annotations: { [ANNOTATIONS.hold]: "true" } } });
  expect(heldObjection(held)).toMatch(
    /^Backup billing\/.* is held by the annotation .*holdfast unhold backup\//,
  );
});
