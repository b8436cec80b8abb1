import type { Resource } from "../../kube/resource.ts";
import type { Structural } from "../../kube/schema/structural.ts";
import { backupConfigResource, backupConfigSchema } from "./generated/backup_config.ts";
import { resticBackupResource, resticBackupSchema } from "./generated/restic_backup.ts";
import { resticRepositoryResource, resticRepositorySchema } from "./generated/restic_repository.ts";
import { resticRestoreResource, resticRestoreSchema } from "./generated/restic_restore.ts";

/** A kind as programs know it. */
export interface KnownKind {
  readonly resource: Resource;
  readonly schema: Structural;
  /** The operator creates such objects itself, and not people alone. */
  readonly created?: true;
}

/** Every kind of AutoRestore. */
export const KINDS: readonly KnownKind[] = [
  { resource: backupConfigResource, schema: backupConfigSchema },
  { resource: resticRepositoryResource, schema: resticRepositorySchema, created: true },
  { resource: resticBackupResource, schema: resticBackupSchema, created: true },
  { resource: resticRestoreResource, schema: resticRestoreSchema, created: true },
];
