import { expect, test } from "vitest";
import { sampleBackup, sampleRestore } from "../testing/samples.ts";
import { restoreSource } from "./restore_source.ts";

const target = (name: string, namespace?: string) => ({
  repository: { name, ...(namespace ? { namespace } : {}) },
});
const none = (name: string) => ({
  repository: { kind: "ResticRepository", name, namespace: "home" },
  noSnapshot: true,
  pinnedAt: "2026-05-24T12:00:00Z",
});
const two = sampleRestore({ backupTarget: target("nas"), fallbackTargets: [target("b2")] });

test("a target is asked for the latest snapshot of the PVC, whatever objects were lost", () => {
  expect(restoreSource({ restore: two, pinned: undefined, backup: undefined }).resolution).toEqual({
    ok: true,
    value: {
      type: "Ask",
      repository: { kind: "ResticRepository", name: "nas", namespace: "home" },
      identity: { username: "autorestore", hostname: "home", path: "/home/data" },
      point: {},
      startEmpty: "Always",
    },
  });
});

test("the next target is asked once the one before has answered that it has none", () => {
  const { resolution } = restoreSource({ restore: two, pinned: none("nas"), backup: undefined });
  expect(resolution).toMatchObject({
    value: { type: "Ask", repository: { name: "b2" }, startEmpty: "Never" },
  });
  expect(restoreSource({ restore: two, pinned: none("b2"), backup: undefined }).resolution).toMatchObject({
    value: { type: "Pinned", pinned: { noSnapshot: true } },
  });
});

test("a repository that several targets share is asked once", () => {
  const restore = sampleRestore({ backupTarget: target("nas"), fallbackTargets: [target("nas", "home")] });
  expect(restoreSource({ restore, pinned: none("nas"), backup: undefined }).resolution).toMatchObject({
    value: { type: "Pinned", pinned: { noSnapshot: true } },
  });
});

test.each([
  ["BackupNotFound", undefined],
  ["BackupPending", sampleBackup("monday", { status: { phase: "Running" } })],
  ["BackupFailed", sampleBackup("monday", { status: { phase: "Failed" } })],
])("%s", (reason, backup) => {
  const restore = sampleRestore({ backupName: "monday" });
  expect(restoreSource({ restore, pinned: undefined, backup }).resolution).toMatchObject({
    error: { reason },
  });
});

test("a ResticBackup stands for its snapshot", () => {
  const identity = { username: "autorestore", hostname: "home", sourcePath: "/home/data" };
  const state = {
    snapshots: [{ id: "abc", runID: "run", identity }],
    plan: { repository: { name: "nas", namespace: "home", uniqueID: "id" } },
  };
  const backup = sampleBackup("monday", { status: { phase: "Completed", state } });
  const { resolution } = restoreSource({
    restore: sampleRestore({ backupName: "monday" }),
    pinned: undefined,
    backup,
  });
  expect(resolution).toMatchObject({
    value: { pinned: { snapshotID: "abc", runID: "run", repository: { name: "nas", uniqueID: "id" } } },
  });
});

test("a snapshot is chosen by its ID only in a repository of the PVC's namespace", () => {
  const of = (namespace?: string) =>
    restoreSource({
      restore: sampleRestore({ backupTarget: target("nas", namespace), snapshotID: "abc" }),
      pinned: undefined,
      backup: undefined,
    }).resolution;
  expect(of()).toMatchObject({ value: { type: "Pinned", pinned: { snapshotID: "abc" } } });
  expect(of("away")).toMatchObject({ error: { reason: "SnapshotForbidden" } });
});
