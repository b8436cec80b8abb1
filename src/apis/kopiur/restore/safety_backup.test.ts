import { describe, expect, test } from "vitest";
import { backup, readyConfig, restore } from "../testing/samples.ts";
import { isDue, restoresOfSafety, safetyBackupOf, safetyStep } from "./safety_backup.ts";

const inPlace = (backupFirst?: boolean, status: object = {}) =>
  restore({
    spec: {
      target: { pvcRef: { name: "data", ...(backupFirst === undefined ? {} : { backupFirst }) } },
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
const step = (status?: object) =>
  safetyStep(inPlace(true), { configs, backup: status === undefined ? undefined : backup({ status }) });

describe("safetyStep()", () => {
  test.each([undefined, false])("makes none where nobody wants one: %s", (wanted) => {
    expect(safetyStep(inPlace(wanted), { configs, backup: undefined })).toEqual({ type: "Done" });
  });

  test("makes one by the BackupConfig of the volume, which no restore takes by itself", () => {
    expect(step()).toEqual({
      type: "Create",
      backup: {
        metadata: { namespace: "billing", name: safetyBackupOf(inPlace(true)) },
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
    expect(safetyStep(inPlace(true), { configs: [], backup: undefined })).toMatchObject({
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
  expect(safetyBackupOf({ ...rest, metadata: { ...metadata, uid: "another" } })).not.toBe(
    safetyBackupOf(inPlace(true)),
  );
});

test("its Restore is known by its tag", () => {
  expect(restoresOfSafety(backup({ spec: { tags: { "before-restore": "again" } } as never }))).toEqual([
    "billing/again",
  ]);
  expect(restoresOfSafety(backup())).toEqual([]);
});
