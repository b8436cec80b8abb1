import { describe, expect, test } from "vitest";
import { backup, readyConfig, restore } from "../testing/samples.ts";
import { isDue, restoresOfSafety, safetyBackupOf, safetyName, safetyStep } from "./safety_backup.ts";

const inPlace = (backupFirst?: boolean, status: object = {}, options: object = {}) =>
  restore({
    spec: {
      target: { pvcRef: { name: "data", ...(backupFirst === undefined ? {} : { backupFirst }) } },
      options: { existingFiles: "Overwrite", enableFileDeletion: false, ...options },
    } as never,
    status,
  });
const identity = {
  username: "data",
  hostname: "billing",
  sources: [{ pvc: "billing/data", sourcePath: "/d" }],
};
const configs = [
  readyConfig({
    metadata: { name: "other" },
    status: { resolved: { identity: { ...identity, sources: [] } } },
  }),
  readyConfig({ metadata: { name: "of-data" }, status: { resolved: { identity } } }),
];
const FACTS = { configs, backup: undefined, isThere: true, hasBackup: () => false };
const step = (status?: object) =>
  safetyStep(inPlace(true), { ...FACTS, backup: status === undefined ? undefined : backup({ status }) });

describe("safetyStep()", () => {
  test.each<[string, boolean | undefined, object, string]>([
    ["makes one where a volume is overwritten", undefined, {}, "Create"],
    ["makes one where only new files are kept", undefined, { existingFiles: "OverwriteChanged" }, "Create"],
    ["makes none where that is said", false, { enableFileDeletion: true }, "Done"],
    ["makes none for a volume that must be empty", undefined, { existingFiles: "Refuse" }, "Done"],
    ["makes none where every file stays", undefined, { existingFiles: "Keep" }, "Done"],
    [
      "makes one where every file stays but those that are deleted",
      undefined,
      { existingFiles: "Keep", enableFileDeletion: true },
      "Create",
    ],
    ["makes one all the same where that is said", true, { existingFiles: "Keep" }, "Create"],
  ])("%s", (_, wanted, options, type) => {
    expect(safetyStep(inPlace(wanted, {}, options), FACTS).type).toBe(type);
  });

  const none = { ...FACTS, configs: [] };
  const deletes = { enableFileDeletion: true };
  test.each<[string, object, typeof none, string | undefined]>([
    ["whose files are overwritten", {}, none, undefined],
    ["whose files are deleted", deletes, none, "DeletionUnconfirmed"],
    ["whose files are deleted, as is meant", { ...deletes, confirmDeletion: true }, none, undefined],
    ["that an earlier Backup holds", deletes, { ...none, hasBackup: () => true }, undefined],
    ["that is not there yet", deletes, { ...none, isThere: false }, undefined],
  ])("of a volume that no BackupConfig backs up, %s", (_, options, facts, reason) => {
    expect(safetyStep(inPlace(undefined, {}, options), facts)).toMatchObject(
      reason === undefined ? { type: "Done" } : { type: "Wait", problem: { reason, class: "structural" } },
    );
  });

  test("makes one by the BackupConfig of the volume, which no restore takes by itself", () => {
    expect(step()).toEqual({
      type: "Create",
      backup: {
        metadata: { namespace: "billing", name: safetyName(inPlace(true)) },
        spec: { configRef: { name: "of-data" }, tags: { "before-restore": inPlace().metadata.name } },
      },
    });
  });

  test.each<[phase: string, status: object, reason: string | undefined]>([
    ["runs", { phase: "Running" }, "SafetyBackupPending"],
    ["has failed", { phase: "Failed", failure: { message: "no room" } }, "SafetyBackupFailed"],
    ["lacks files", { phase: "Succeeded", snapshots: [{ incomplete: "pgdata" }] }, "SafetyBackupFailed"],
    ["is whole", { phase: "Succeeded", snapshots: [{}] }, undefined],
  ])("where it %s", (_, status, reason) => {
    expect(step(status)).toMatchObject(
      reason === undefined ? { type: "Done" } : { type: "Wait", problem: { reason } },
    );
  });

  test("overwrites nothing where no BackupConfig backs the volume up", () => {
    expect(safetyStep(inPlace(true), none)).toMatchObject({
      type: "Wait",
      problem: { reason: "SafetyBackupImpossible", class: "structural" },
    });
  });
});

test.each<[status: object, due: boolean]>([
  [{}, false],
  [{ resolved: { pinnedAt: "2026-05-24T00:00:00Z" } }, true],
  [{ phase: "Failed", resolved: { pinnedAt: "2026-05-24T00:00:00Z" } }, false],
  [{ phase: "Completed", resolved: { pinnedAt: "2026-05-24T00:00:00Z" } }, false],
])("with %j it is due: %s", (status, due) => {
  expect(isDue(inPlace(true, status))).toBe(due);
});

test("another Restore of the same name has another one", () => {
  const { metadata, ...rest } = inPlace(true);
  expect(safetyName({ ...rest, metadata: { ...metadata, uid: "another" } })).not.toBe(
    safetyName(inPlace(true)),
  );
});

test.each<[string, boolean | undefined, object, boolean, boolean]>([
  ["once it is asked for", true, {}, false, true],
  ["once it is made", undefined, {}, true, true],
  ["also when it is gone", undefined, { safetyBackup: "before-x" }, false, true],
  ["and not where there is none", undefined, {}, false, false],
])("it is named %s", (_, wanted, status, isMade, isNamed) => {
  const made = isMade ? backup() : undefined;
  expect(safetyBackupOf(inPlace(wanted, status), made) !== undefined).toBe(isNamed);
});

test("its Restore is known by its tag", () => {
  expect(restoresOfSafety(backup({ spec: { tags: { "before-restore": "again" } } as never }))).toEqual([
    "billing/again",
  ]);
  expect(restoresOfSafety(backup())).toEqual([]);
});
