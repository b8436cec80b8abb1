import { expect, test } from "vitest";
import type { BackupState } from "../../core/backup/backup.ts";
import type { RepositoryState } from "../../core/repository/repository.ts";
import type { RestoreState } from "../../core/restore/restore.ts";
import { resticBackupSchema } from "../../kinds/autorestore/generated/restic_backup.ts";
import { resticRepositorySchema } from "../../kinds/autorestore/generated/restic_repository.ts";
import { resticRestoreSchema } from "../../kinds/autorestore/generated/restic_restore.ts";
import type { Structural } from "../../kube/schema/structural.ts";
import { validate } from "../../kube/schema/validate.ts";
import { shownBackup } from "./backup/backup_status.ts";
import { shownRepository } from "./repository/repository_status.ts";
import { coreRestore, shownRestore } from "./restore/core_restore.ts";
import { sampleBackup, sampleRepository, sampleRestore } from "./testing/samples.ts";

/* Every field of a status that the API's document lists has a value. */

const at = "2026-05-24T12:00:00Z";
const timing = { startTime: at, endTime: "2026-05-24T12:02:05Z", durationSeconds: 125 };
const ready = (status: "True" | "False", message: string) => ({
  type: "Ready",
  status,
  reason: "It",
  message,
  lastTransitionTime: at,
});
const identity = { username: "autorestore", hostname: "home", sourcePath: "/home/data" };

function fits(schema: Structural, object: object): void {
  expect(validate(schema, object, undefined)).toEqual([]);
}

test("of a ResticBackup that completed", () => {
  const core = {
    phase: "Succeeded",
    timing,
    snapshots: [{ id: "0f3a9b21", identity, sizeBytes: 1_610_612_736 }],
    conditions: [ready("True", "It is done.")],
  } as unknown as BackupState;
  const status = shownBackup(undefined, core);
  expect(status).toMatchObject({
    phase: "Completed",
    startTime: at,
    completionTime: "2026-05-24T12:02:05Z",
    duration: "2m5s",
    snapshotID: "0f3a9b21",
    size: 1_610_612_736,
    displaySize: "1.5 GiB",
    lastVerified: "2026-05-24T12:02:05Z",
    conditions: [{ type: "Ready" }],
  });
  expect(status).not.toHaveProperty("error");
  fits(resticBackupSchema, { ...sampleBackup("a"), status });
});

test("of a ResticBackup that failed", () => {
  const core = { phase: "Failed", timing, conditions: [ready("False", "The repository is locked.")] };
  const status = shownBackup(undefined, core as unknown as BackupState);
  expect(status).toMatchObject({ phase: "Failed", error: "The repository is locked." });
  fits(resticBackupSchema, { ...sampleBackup("a"), status });
});

test("of a ResticRepository", () => {
  const core = {
    phase: "Ready",
    uniqueID: "id",
    storageStats: { snapshotCount: 7, storedBytes: 5_368_709_120, lastObservedAt: at },
    conditions: [ready("True", "It answers.")],
    deletions: { held: 3, heldSince: at, acknowledgeToken: "2026-05-24T12:00:00.000Z", pending: 1 },
  } as unknown as RepositoryState;
  const status = shownRepository({ lastChecked: at }, core, "s3:https://user:secret@nas/bucket");
  expect(status).toMatchObject({
    phase: "Ready",
    repository: "s3:https://nas/bucket",
    lastChecked: at,
    stats: { totalSize: 5_368_709_120, size: "5.0 GiB", snapshotCount: 7, lastUpdated: at },
    deletions: { held: 3, heldSince: at, acknowledgeToken: "2026-05-24T12:00:00.000Z", pending: 1 },
    conditions: [{ type: "Ready" }],
  });
  fits(resticRepositorySchema, { ...sampleRepository(), status });
});

test.each([
  ["Pending", "Initializing", undefined],
  ["Initializing", "Initializing", undefined],
  ["Ready", "Ready", undefined],
  ["Degraded", "Unknown", "It does not answer."],
  ["Failed", "Failed", "It does not answer."],
] as const)("a repository that is %s is shown as %s", (phase, shown, error) => {
  const conditions = [ready("False", "It does not answer.")];
  const status = shownRepository(undefined, { phase, conditions } as RepositoryState, "/r");
  expect([status.phase, status.error]).toEqual([shown, error]);
});

test("of a ResticRestore that completed", () => {
  const core = {
    phase: "Completed",
    timing,
    resolved: { snapshotID: "0f3a9b21" },
    progress: { bytesRestored: 2048 },
    conditions: [ready("True", "12 files were restored.")],
  } as unknown as RestoreState;
  const status = shownRestore(core);
  expect(status).toMatchObject({
    phase: "Completed",
    result: "Restored",
    startTime: at,
    completionTime: "2026-05-24T12:02:05Z",
    duration: "2m5s",
    snapshotID: "0f3a9b21",
    restoredSize: 2048,
    conditions: [{ type: "Ready" }],
  });
  fits(resticRestoreSchema, { ...sampleRestore({ backupName: "a" }), status });
  expect(coreRestore({ ...sampleRestore(), status }).status).toMatchObject({ ...core, phase: "Completed" });
});

test("a ResticRestore that was broken off says with its error what its workloads find", () => {
  const incomplete = {
    ...ready("True", "PersistentVolumeClaim data holds a part."),
    type: "TargetIncomplete",
  };
  const status = shownRestore({
    phase: "Failed",
    conditions: [ready("False", "The pod was killed."), incomplete],
  } as unknown as RestoreState);
  expect(status).toMatchObject({
    phase: "Failed",
    error: "The pod was killed. PersistentVolumeClaim data holds a part.",
  });
});
