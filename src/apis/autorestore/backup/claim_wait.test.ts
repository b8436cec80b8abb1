import { expect, test } from "vitest";
import { ClaimTurns } from "../../../core/work/claim_turns.ts";
import { OWNER_LABEL } from "../../../core/work/run_labels.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../../../core/work/run_record.ts";
import type { ResticBackup } from "../../../kinds/autorestore/generated/restic_backup.ts";
import type { ResticRestore } from "../../../kinds/autorestore/generated/restic_restore.ts";
import type { Pod } from "../../../kube/builtin.ts";
import { keyOf } from "../../../kube/object.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import type { AutorestorePorts } from "../ports.ts";
import { claimed, meta, NOW, sampleBackup, sampleConfig, sampleRestore } from "../testing/samples.ts";
import { backupBefore, claimWait, isStarting } from "./claim_wait.ts";

const selector = { labelSelector: { matchLabels: { keep: "yes" } }, stopPods: true };

function pod(name: string, ready: boolean, labels = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: meta(name, { labels }),
    spec: {
      containers: [],
      volumes: [{ name: "d", persistentVolumeClaim: { claimName: "data" } }],
    },
    status: { conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
  } as unknown as Pod;
}

function waiting({
  backups = [],
  restores = [],
  pods = [],
  waitForHealthy = false,
}: {
  backups?: readonly ResticBackup[];
  restores?: readonly ResticRestore[];
  pods?: readonly Pod[];
  waitForHealthy?: boolean;
}) {
  const own = sampleBackup("own");
  const config = sampleConfig({ selectors: [{ ...selector, waitForHealthy }] });
  const ports = {
    turns: new ClaimTurns(new VirtualClock(NOW)),
    client: { list: async () => ({ items: pods }) },
    caches: {
      backups: {
        indexed: () => [own, ...backups],
        get: (key: string) => [own, ...backups].find((one) => keyOf(one) === key),
      },
      restores: { indexed: () => restores },
      claims: { get: () => claimed("data") },
      configs: { get: () => config },
    },
  } as unknown as AutorestorePorts;
  return claimWait(ports, own, new AbortController().signal);
}

test("a restore waits for a backup that was let in, though the caches know of no Job yet", async () => {
  const key = keyOf({ namespace: "home", name: "data" });
  const pending = sampleBackup("own");
  const turns = new ClaimTurns(new VirtualClock(NOW));
  const caches = { backups: { indexed: () => [pending] } } as never;
  expect(backupBefore({ caches, turns }, key, "uid-back")).toBeUndefined();
  expect(
    backupBefore({ caches, turns: new ClaimTurns(new VirtualClock(NOW)) }, key, "uid-own"),
  ).toBeUndefined();
  turns.leave(key, "uid-back");
  expect(backupBefore({ caches, turns }, key, "uid-own")).toBeUndefined();
  expect(backupBefore({ caches, turns }, key, "uid-back")?.message).toBe(
    "ResticBackup home/own works on PersistentVolumeClaim home/data. This one begins when that has ended.",
  );
});

const working = sampleBackup("other", {
  status: { phase: "Running", work: { snapshot: { attempt: 1, failures: 0, job: { name: "j", uid: "u" } } } },
});
const failed = { ...sampleRestore({ onlyIfEmpty: true }), status: { phase: "Failed" as const } };

test.each([
  ["nothing", {}, undefined],
  ["another backup's run", { backups: [working] }, "VolumeBusy"],
  ["a restore that has not begun", { restores: [sampleRestore()] }, "VolumeBusy"],
  ["no restore that waits for a backup", { restores: [sampleRestore({ backupName: "own" })] }, undefined],
  ["nor for one to come", { restores: [sampleRestore({ backupName: "later" })] }, undefined],
  [
    "a restore of a backup that there is",
    {
      backups: [sampleBackup("monday", { status: { phase: "Completed" } })],
      restores: [sampleRestore({ backupName: "monday" })],
    },
    "VolumeBusy",
  ],
  [
    "a restore that knows its snapshot",
    { restores: [{ ...sampleRestore({ backupName: "own" }), status: { snapshotID: "abc" } }] },
    "VolumeBusy",
  ],
  ["a restore that failed and left it empty", { restores: [failed] }, "RestoreFailed"],
  ["a pod that is not ready", { pods: [pod("web", false)], waitForHealthy: true }, "PodsNotReady"],
  ["no pod that is not asked for", { pods: [pod("web", false)] }, undefined],
  ["no pod that is ready", { pods: [pod("web", true)], waitForHealthy: true }, undefined],
  ["no mover", { pods: [pod("m", false, { [OWNER_LABEL]: "x" })], waitForHealthy: true }, undefined],
])("a backup waits for %s", async (_, there, reason) => {
  expect((await waiting(there))?.reason).toBe(reason);
});

test("it says for which pod it waits, and what to do", async () => {
  const problem = await waiting({ pods: [pod("web", false)], waitForHealthy: true });
  expect(problem?.message).toBe(
    "PersistentVolumeClaim home/data is used by pod home/web, which is not ready. The backup begins when it is. To back up anyway, set waitForHealthy: false in the BackupConfig's selector.",
  );
});

test.each<[string, Partial<RunRecord> | undefined, boolean]>([
  ["was never looked at", undefined, false],
  ["waits for something", {}, false],
  ["is about to have its Job", { clearSince: "2026-05-24T00:00:00Z" }, true],
  ["has its Job", { job: "uid-job" }, true],
  ["has ended", { job: "uid-job", clearSince: "2026-05-24T00:00:00Z", outcome: "Succeeded" }, false],
])("a backup that %s keeps its turn at the PVC accordingly", (_, record, keeps) => {
  expect(isStarting(record && { ...FIRST_ATTEMPT, ...record })).toBe(keeps);
});
