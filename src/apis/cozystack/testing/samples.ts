import type { Claim } from "../../../core/volumes/claim_request.ts";
import type { Backup } from "../../../kinds/cozystack/generated/backup.ts";
import type { BackupClass } from "../../../kinds/cozystack/generated/backup_class.ts";
import type { BackupJob } from "../../../kinds/cozystack/generated/backup_job.ts";
import type { Plan } from "../../../kinds/cozystack/generated/plan.ts";
import type { RestoreJob } from "../../../kinds/cozystack/generated/restore_job.ts";
import { RESTORES_ELSEWHERE } from "../../../kinds/cozystack/labels.ts";

export const NOW = Date.parse("2026-05-24T12:00:00Z");
const API = "backups.cozystack.io/v1alpha1";

export function meta(name: string, namespace: string | undefined, more: object = {}) {
  return {
    name,
    ...(namespace ? { namespace } : {}),
    uid: `uid-${name}`,
    resourceVersion: "1",
    generation: 1,
    creationTimestamp: "2026-05-24T11:59:00Z",
    ...more,
  };
}

export const application = { apiGroup: "apps.cozystack.io", kind: "Postgres", name: "db" };

export function samplePlan(spec: object = {}, status?: Plan["status"]): Plan {
  return {
    apiVersion: API,
    kind: "Plan",
    metadata: meta("nightly", "tenant"),
    spec: {
      applicationRef: { kind: "Postgres", name: "db" },
      backupClassName: "standard",
      schedule: { type: "cron", cron: "0 2 * * *", timezone: "UTC" },
      suspend: false,
      concurrencyPolicy: "Forbid",
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 1,
      ...spec,
    },
    ...(status ? { status } : {}),
  } as Plan;
}

export function sampleClass(...strategies: readonly object[]): BackupClass {
  return {
    apiVersion: API,
    kind: "BackupClass",
    metadata: meta("standard", undefined),
    spec: { strategies },
  } as unknown as BackupClass;
}

export function sampleJob(name: string, status?: BackupJob["status"], metadata: object = {}): BackupJob {
  return {
    apiVersion: API,
    kind: "BackupJob",
    metadata: meta(name, "tenant", metadata),
    spec: { applicationRef: { kind: "Postgres", name: "db" }, backupClassName: "standard" },
    ...(status ? { status } : {}),
  };
}

/** As a driver of ours writes it. */
export function sampleBackup(
  name: string,
  spec: object = {},
  status: Backup["status"] = { phase: "Ready" },
): Backup {
  return {
    apiVersion: API,
    kind: "Backup",
    metadata: meta(name, "tenant", { annotations: { [RESTORES_ELSEWHERE]: "true" } }),
    spec: {
      applicationRef: application,
      strategyRef: { apiGroup: "strategy.backups.cozystack.io", kind: "Volume", name: "volumes" },
      takenAt: "2026-05-24T11:00:00Z",
      ...spec,
    },
    ...(status ? { status } : {}),
  };
}

export function sampleRestoreJob(name: string, spec: object = {}, status?: RestoreJob["status"]): RestoreJob {
  return {
    apiVersion: API,
    kind: "RestoreJob",
    metadata: meta(name, "tenant"),
    spec: { backupRef: { name: "first" }, ...spec },
    ...(status ? { status } : {}),
  };
}

/** A PVC of the application's release. */
export function sampleClaim(name: string): Claim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: meta(name, "tenant", { labels: { "app.kubernetes.io/instance": "db" } }),
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "5Gi" } },
      storageClassName: "fast",
    },
  };
}
