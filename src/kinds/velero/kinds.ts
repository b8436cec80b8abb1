import type { Resource } from "../../kube/resource.ts";
import type { Structural } from "../../kube/schema/structural.ts";
import { backupRepositoryResource, backupRepositorySchema } from "./generated/backup_repository.ts";
import {
  backupStorageLocationResource,
  backupStorageLocationSchema,
} from "./generated/backup_storage_location.ts";
import { podVolumeBackupResource, podVolumeBackupSchema } from "./generated/pod_volume_backup.ts";
import { podVolumeRestoreResource, podVolumeRestoreSchema } from "./generated/pod_volume_restore.ts";

/** A kind as programs know it. */
export interface KnownKind {
  readonly resource: Resource;
  readonly schema: Structural;
  /** The operator creates such objects itself, and not people alone. */
  readonly created?: true;
  readonly statusSubresource: false;
}

const statusSubresource = false;

/** Every kind of the data path for pod volumes. */
export const KINDS: readonly KnownKind[] = [
  { resource: podVolumeBackupResource, schema: podVolumeBackupSchema, statusSubresource },
  { resource: podVolumeRestoreResource, schema: podVolumeRestoreSchema, statusSubresource },
  { resource: backupRepositoryResource, schema: backupRepositorySchema, statusSubresource, created: true },
  { resource: backupStorageLocationResource, schema: backupStorageLocationSchema, statusSubresource },
];
