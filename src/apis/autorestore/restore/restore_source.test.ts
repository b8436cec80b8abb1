import { expect, test } from "vitest";
import { ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import { meta, sampleBackup, sampleClaim, sampleRestore } from "../testing/samples.ts";
import { lostClaim, restoreSource } from "./restore_source.ts";

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
      shrink: { maxShrinkPercent: 99 },
      hasNext: true,
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

test("what the target before holds and cannot be taken is remembered", () => {
  const pinned = { ...none("nas"), passedOver: "All are from the future." };
  expect(restoreSource({ restore: two, pinned, backup: undefined }).resolution).toMatchObject({
    value: {
      type: "Ask",
      repository: { name: "b2" },
      passedOver: "All are from the future.",
      hasNext: false,
    },
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
  expect(of("away")).toMatchObject({ error: { class: "terminal", reason: "SnapshotForbidden" } });
});

const auto = {
  ...sampleRestore({ onlyIfEmpty: true }),
  metadata: meta("auto-data-uid", { annotations: { [ANNOTATIONS.autoRestore]: "uid-data" } }),
};

test.each([
  ["its PVC is there", auto, sampleClaim("data"), undefined],
  ["its PVC is gone", auto, undefined, "VolumeLost"],
  ["its PVC goes", auto, sampleClaim("data", { deletionTimestamp: "2026-05-24T12:00:00Z" }), "VolumeLost"],
  ["another PVC has its name", auto, sampleClaim("data", { uid: "uid-later" }), "VolumeLost"],
  ["somebody made it for a PVC to come", sampleRestore({ onlyIfEmpty: true }), undefined, undefined],
])("an automatic restore ends with its PVC: %s", (_, restore, claim, reason) => {
  expect(lostClaim(restore, claim)?.reason).toBe(reason);
});
