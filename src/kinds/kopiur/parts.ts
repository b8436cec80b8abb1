import type { BackupSpec, BackupStatus } from "./generated/backup.ts";
import type { BackupConfigSpec } from "./generated/backup_config.ts";
import type { ClusterRepositorySpec } from "./generated/cluster_repository.ts";

// Names for the parts of the generated types that travel on their own.

export type AllowedNamespaces = ClusterRepositorySpec["allowedNamespaces"];

export type SourceSpec = BackupConfigSpec["sources"][number];
export type RetentionSpec = NonNullable<BackupConfigSpec["retention"]>;
export type MoverSpec = NonNullable<BackupConfigSpec["mover"]>;

export type DeletionPolicy = NonNullable<BackupSpec["deletionPolicy"]>;
export type SnapshotStatus = NonNullable<BackupStatus["snapshot"]>;
export type BackupStats = NonNullable<BackupStatus["stats"]>;
export type ResolvedBackup = NonNullable<BackupStatus["resolved"]>;
export type ResolvedRepository = NonNullable<ResolvedBackup["repository"]>;
export type ResolvedSource = NonNullable<ResolvedBackup["sources"]>[number];
export type FailureStatus = NonNullable<BackupStatus["failure"]>;
export type JobStatus = NonNullable<BackupStatus["job"]>;
export type LossStatus = NonNullable<BackupStatus["losses"]>[number];
