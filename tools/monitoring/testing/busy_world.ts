import { slotKey } from "../../../src/apis/autorestore/config/target_slots.ts";
import {
  sampleConfig as autorestoreConfig,
  claimed,
  sampleRepository as resticRepository,
  sampleRestore as resticRestore,
  sampleTarget,
} from "../../../src/apis/autorestore/testing/samples.ts";
import {
  sampleBackup as applicationBackup,
  samplePlan,
  sampleRestoreJob,
} from "../../../src/apis/cozystack/testing/samples.ts";
import { sampleMaintenance } from "../../../src/apis/kopiur/maintenance/testing/sample_maintenance.ts";
import {
  backup,
  clusterRepository,
  config,
  readyNas,
  restore,
  schedule,
} from "../../../src/apis/kopiur/testing/samples.ts";
import { tallyOf } from "../../../src/apis/plumber/plumber_counters.ts";
import {
  sampleBackup as podVolumeBackup,
  sampleRestore as podVolumeRestore,
} from "../../../src/apis/velero/data_path/testing/samples.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import type { World } from "./exposition.ts";

const AT = "2026-05-24T02:13:00Z";
const RUN = {
  namespace: "billing",
  name: "run",
  pod: "run-1",
  owner: { group: "kopiur.home-operations.com", kind: "Backup", name: "first" },
};

const TRUTH = {
  storageStats: { snapshotCount: 12, logicalBytes: 4096, storedBytes: 1024 },
  catalog: { discoveredBackupCount: 5 },
  breaker: { state: "Open", consecutiveFailures: 3 },
  runs: { running: 1, waiting: 2 },
  deletions: { pending: 1 },
  conditions: [
    { type: "CatalogShrunk", status: "True", reason: "R", message: "m", lastTransitionTime: AT },
    { type: "MaintenanceConfigured", status: "True", reason: "R", message: "m", lastTransitionTime: AT },
  ],
};

const notReady = (reason: string) => ({
  conditions: [{ type: "Ready", status: "False" as const, reason, message: "m", lastTransitionTime: AT }],
});

const stated = (object: KubeObject, status: object) => ({ ...object, status });

/** A world in which something of everything goes on, most of it wrong. */
export const BUSY: World = {
  objects: [
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        namespace: "media",
        name: "labelled",
        uid: "u",
        resourceVersion: "1",
        creationTimestamp: AT,
        labels: { "pvc-plumber.io/enabled": "true" },
      },
    },
    readyNas({ status: { ...TRUTH, phase: "Degraded" } }),
    clusterRepository({ status: { ...TRUTH, phase: "Ready" } }),
    config({
      status: {
        phase: "Ready",
        lastSuccessfulBackup: { name: "first", at: AT },
        consecutiveFailures: 2,
        conditions: [
          {
            type: "PruningPaused",
            status: "True",
            reason: "SourceShrank",
            message: "m",
            lastTransitionTime: AT,
          },
        ],
      },
    }),
    config({
      metadata: { name: "new" },
      status: {
        phase: "Failed",
        conditions: [{ type: "Ready", status: "False", reason: "R", message: "m", lastTransitionTime: AT }],
      },
    }),
    schedule({ status: { phase: "Active", backupsCreated: 7 } }),
    schedule({ metadata: { name: "of-new" }, spec: { configRef: { name: "new" } } }),
    backup({
      status: {
        phase: "Succeeded",
        stats: { sizeBytes: 4096, files: 3 },
        snapshots: [{ pvc: "billing/data", sizeBytes: 4096 }],
        timing: { durationSeconds: 42 },
      },
    }),
    backup({ metadata: { name: "stuck" }, status: { phase: "Deleting" } }),
    restore({ status: { phase: "Failed", timing: { durationSeconds: 9 } } }),
    sampleMaintenance({
      status: {
        phase: "Failed",
        quick: { lastSuccessAt: AT },
        full: { lastSuccessAt: AT, lastContentReclaimedBytes: 4096 },
        lastCheck: { at: AT, healthy: false, missing: { packs: 2, snapshots: 7 } },
      },
    }),
    samplePlan({}, { phase: "Failed", consecutiveFailures: 1 }),
    sampleRestoreJob("failed", {}, { phase: "Failed", completedAt: AT }),
    sampleRestoreJob("waits", {}, notReady("BackupNotFound")),
    applicationBackup("stuck", {}, { phase: "Deleting", ...notReady("DeletionFailed") }),
    stated(autorestoreConfig({ backupTargets: [sampleTarget("nas", { backupSchedule: "0 2 * * *" })] }), {
      work: { [slotKey("nas")]: { after: Date.parse(AT), cron: "0 2 * * * UTC" } },
    }),
    claimed("data"),
    stated(resticRepository(), { phase: "Unknown" }),
    stated(resticRestore(), { phase: "Failed" }),
    stated(resticRestore(), { phase: "Pending" }),
    stated(podVolumeBackup, { phase: "Accepted", acceptedTimestamp: AT }),
    stated(podVolumeBackup, { phase: "Failed", completionTimestamp: AT }),
    stated(podVolumeRestore, { phase: "Failed", completionTimestamp: AT }),
  ],
  events({ controller, admission, runs, byApi }, { api }) {
    api.request({ verb: "get", resource: "jobs.batch", code: 200, durationMs: 5, attempt: 1 });
    for (const result of ["done", "transient"])
      controller.reconciled("kopiur-backup", result, 20, "billing/first");
    controller.taken("kopiur-backup", 5);
    for (const { deletions } of byApi.values()) {
      deletions?.snapshotDeletionFailed("billing");
      deletions?.snapshotsOrphaned("billing", 1);
    }
    const tally = tallyOf(byApi.get("plumber"));
    tally.readAge("ClusterRepository pvc-plumber", { age: 300_000, stale: true });
    const denied = { operation: "CREATE", result: "denied", mode: "strict", answer: "unknown" } as const;
    tally.admitted({ ...denied, reason: "BackupStateUnknown" });
    for (const result of ["succeeded", "failed"] as const)
      runs.runEnded({ operation: "snapshot", result, seconds: 42, run: RUN });
    for (const verdict of ["allowed", "failed"] as const)
      admission.reviewed({
        webhook: "validating",
        resource: "backups.kopiur.home-operations.com",
        operation: "CREATE",
        verdict,
        durationMs: 3,
      });
  },
};
