import { meta, type Sample } from "../../../core/testing/samples.ts";
import { SNAPSHOT_CLEANUP } from "../../../kinds/kopiur/finalizers.ts";
import type { Backup, BackupSpec } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig, BackupConfigSpec } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { BackupSchedule, BackupScheduleSpec } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import type {
  ClusterRepository,
  ClusterRepositorySpec,
} from "../../../kinds/kopiur/generated/cluster_repository.ts";
import type { Repository, RepositorySpec } from "../../../kinds/kopiur/generated/repository.ts";
import type { Restore, RestoreSpec } from "../../../kinds/kopiur/generated/restore.ts";
import { API_VERSION } from "../../../kinds/kopiur/group.ts";

/* Objects as the API server returns them, for the tables of this API's rules. */

const REPOSITORY_SPEC: RepositorySpec = {
  engine: "kopia",
  backend: { filesystem: { pvc: { name: "store" }, path: "/" } },
  encryption: { passwordSecretRef: { name: "creds", key: "KOPIA_PASSWORD" } },
  create: { enabled: true },
  catalog: { enabled: true, retain: { perIdentity: 100, maxAgeDays: 90 }, refreshInterval: "5m" },
  concurrency: { maxRuns: 4 },
  maintenance: { enabled: true },
  deletionGuard: { maxDeletions: 20, window: "10m", lastBackups: "Hold" },
};

export function repository({ metadata, spec, status }: Sample<RepositorySpec, object> = {}): Repository {
  return {
    apiVersion: API_VERSION,
    kind: "Repository",
    metadata: meta("nas", metadata),
    spec: { ...REPOSITORY_SPEC, ...spec },
    ...(status ? { status } : {}),
  };
}

export const readyNas = (sample: Sample<RepositorySpec, object> = {}) =>
  repository({ ...sample, status: { phase: "Ready", uniqueID: "id-1", ...sample.status } });

/** Of the whole cluster, with its Secrets in namespace platform, for namespaces billing and shop. */
export function clusterRepository({
  metadata,
  spec,
  status,
}: Sample<ClusterRepositorySpec, object> = {}): ClusterRepository {
  const { namespace: _, ...own } = meta("shared", metadata);
  const secret = { name: "shared-creds", namespace: "platform" };
  return {
    apiVersion: API_VERSION,
    kind: "ClusterRepository",
    metadata: own,
    spec: {
      ...REPOSITORY_SPEC,
      backend: { s3: { bucket: "backups", addressing: "Auto", auth: { secretRef: secret } } },
      encryption: { passwordSecretRef: { ...secret, key: "KOPIA_PASSWORD" } },
      allowedNamespaces: { list: ["billing", "shop"] },
      ...spec,
    },
    ...(status ? { status } : {}),
  };
}

export function config({ metadata, spec, status }: Sample<BackupConfigSpec, object> = {}): BackupConfig {
  return {
    apiVersion: API_VERSION,
    kind: "BackupConfig",
    metadata: meta("data", metadata),
    spec: {
      repository: { kind: "Repository", name: "nas" },
      sources: [{ pvc: { name: "data" }, sourcePathStrategy: "PVCName" }],
      copyMethod: "Direct",
      groupBy: "VolumeGroupSnapshot",
      staging: { timeout: "10m" },
      defaultDeletionPolicy: "Delete",
      policy: { fidelity: "Full", unreadableFiles: "Fail" },
      failurePolicy: { backoffLimit: 2, activeDeadlineSeconds: 7200 },
      ...spec,
    },
    ...(status ? { status } : {}),
  };
}

export const RESOLVED_IDENTITY = {
  username: "data",
  hostname: "billing",
  sources: [{ pvc: "billing/data", sourcePath: "/pvc/data" }],
};

function resolvedAs({ metadata, spec }: Sample<BackupConfigSpec, object>) {
  const { kind = "Repository", name = "nas", namespace } = spec?.repository ?? {};
  const place = { namespace: namespace ?? metadata?.namespace ?? "billing" };
  return { kind, name, ...(kind === "Repository" ? place : {}), uid: `uid-${name}`, uniqueID: "id-1" };
}

export const readyConfig = (sample: Sample<BackupConfigSpec, object> = {}) =>
  config({
    ...sample,
    status: {
      phase: "Ready",
      observedGeneration: 1,
      resolved: { repository: resolvedAs(sample), identity: RESOLVED_IDENTITY },
      ...sample.status,
    },
  });

export function backup({ metadata, spec, status }: Sample<BackupSpec, object> = {}): Backup {
  return {
    apiVersion: API_VERSION,
    kind: "Backup",
    metadata: meta("first", { finalizers: [SNAPSHOT_CLEANUP], ...metadata }),
    spec: { configRef: { name: "data" }, ...spec },
    ...(status ? { status } : {}),
  };
}

export function schedule({
  metadata,
  spec,
  status,
}: Sample<Omit<BackupScheduleSpec, "schedule">, object> & {
  readonly spec?: { readonly schedule?: Partial<BackupScheduleSpec["schedule"]> };
} = {}): BackupSchedule {
  return {
    apiVersion: API_VERSION,
    kind: "BackupSchedule",
    metadata: meta("nightly", metadata),
    spec: {
      configRef: { name: "data" },
      failedJobsHistoryLimit: 3,
      ...spec,
      schedule: {
        cron: "0 * * * *",
        timezone: "UTC",
        runOnCreate: false,
        suspend: false,
        concurrencyPolicy: "Forbid",
        ...spec?.schedule,
      },
    },
    ...(status ? { status } : {}),
  };
}

export function restore({ metadata, spec, status }: Sample<RestoreSpec, object> = {}): Restore {
  return {
    apiVersion: API_VERSION,
    kind: "Restore",
    metadata: meta("again", metadata),
    spec: {
      source: { backupRef: { name: "first" } },
      target: { pvc: { name: "restored", capacity: "1Gi", accessModes: ["ReadWriteOnce"] } },
      options: {
        existingFiles: "Refuse",
        enableFileDeletion: false,
        ignorePermissionErrors: true,
        writeFilesAtomically: true,
        sparse: true,
      },
      policy: { waitTimeout: "5m" },
      failurePolicy: { backoffLimit: 2, activeDeadlineSeconds: 7200 },
      ...spec,
    },
    ...(status ? { status } : {}),
  };
}
