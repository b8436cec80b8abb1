import type { BackupSpec, BackupStatus } from "./generated/backup.ts";
import type { BackupConfigSpec, BackupConfigStatus } from "./generated/backup_config.ts";
import type { ClusterRepositorySpec } from "./generated/cluster_repository.ts";
import type { RepositorySpec, RepositoryStatus } from "./generated/repository.ts";
import type { RestoreSpec, RestoreStatus } from "./generated/restore.ts";

// Names for the parts of the generated types that travel on their own.

export type BackendSpec = RepositorySpec["backend"];
/** As BackendSpec, with the namespace of every Secret and ConfigMap. */
export type ClusterBackendSpec = ClusterRepositorySpec["backend"];
export type CacheSpec = NonNullable<RepositorySpec["cacheDefaults"]>;
export type AllowedNamespaces = ClusterRepositorySpec["allowedNamespaces"];
export type BreakerStatus = NonNullable<RepositoryStatus["breaker"]>;
export type DeletionsStatus = NonNullable<RepositoryStatus["deletions"]>;

export type RepositoryRef = BackupConfigSpec["repository"];
export type SourceSpec = BackupConfigSpec["sources"][number];
export type PolicySpec = BackupConfigSpec["policy"];
export type RetentionSpec = NonNullable<BackupConfigSpec["retention"]>;
export type MoverSpec = NonNullable<BackupConfigSpec["mover"]>;
export type Hooks = NonNullable<BackupConfigSpec["hooks"]>;
export type Hook = NonNullable<Hooks["beforeSnapshot"]>[number];
export type FailurePolicy = BackupConfigSpec["failurePolicy"];
export type RetentionStatus = NonNullable<BackupConfigStatus["retention"]>;

export type DeletionPolicy = NonNullable<BackupSpec["deletionPolicy"]>;
export type SnapshotStatus = NonNullable<BackupStatus["snapshot"]>;
export type BackupProgress = NonNullable<BackupStatus["progress"]>;
export type BackupStats = NonNullable<BackupStatus["stats"]>;
export type ResolvedBackup = NonNullable<BackupStatus["resolved"]>;
export type ResolvedRepository = NonNullable<ResolvedBackup["repository"]>;
export type ResolvedSource = NonNullable<ResolvedBackup["sources"]>[number];
export type FailureStatus = NonNullable<BackupStatus["failure"]>;
export type JobStatus = NonNullable<BackupStatus["job"]>;
export type LossStatus = NonNullable<BackupStatus["losses"]>[number];

export type RestoreSource = RestoreSpec["source"];
export type RestoreTarget = NonNullable<RestoreSpec["target"]>;
export type ResolvedRestore = NonNullable<RestoreStatus["resolved"]>;
export type ClaimStatus = NonNullable<RestoreStatus["claims"]>[number];
