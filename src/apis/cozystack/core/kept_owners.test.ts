import { expect, test } from "vitest";
import { sampleBackup } from "../testing/samples.ts";
import { keptOwners } from "./kept_owners.ts";

const ref = (apiVersion: string, kind: string) => ({ apiVersion, kind, name: "first", uid: "u" });
const job = ref("backups.cozystack.io/v1alpha1", "BackupJob");
const plan = ref("backups.cozystack.io/v1alpha1", "Plan");
const robot = ref("tapes.example.com/v1", "Robot");
const GONE = "2026-05-24T12:00:00Z";

test.each([
  ["none", {}, undefined],
  ["those of others", { ownerReferences: [robot] }, undefined],
  ["its BackupJob", { ownerReferences: [job] }, []],
  ["its BackupJob, its Plan and another", { ownerReferences: [job, robot, plan] }, [robot]],
  ["its BackupJob, while it is deleted", { ownerReferences: [job], deletionTimestamp: GONE }, undefined],
])("the owners that a Backup keeps of %s", (_, metadata, kept) => {
  const backup = sampleBackup("first");
  expect(keptOwners({ ...backup, metadata: { ...backup.metadata, ...metadata } })).toEqual(kept);
});
