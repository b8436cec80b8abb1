import type { Resource } from "../../kube/resource.ts";
import type { Structural } from "../../kube/schema/structural.ts";
import { backupRepositoryResource, backupRepositorySchema } from "./generated/backup_repository.ts";
import {
  backupStorageLocationResource,
  backupStorageLocationSchema,
} from "./generated/backup_storage_location.ts";
import { podVolumeBackupResource, podVolumeBackupSchema } from "./generated/pod_volume_backup.ts";
import { podVolumeRestoreResource, podVolumeRestoreSchema } from "./generated/pod_volume_restore.ts";
import { neededSchema } from "./needed_schema.ts";

/** A kind as programs know it. */
export interface KnownKind {
  readonly resource: Resource;
  readonly schema: Structural;
  /** What of the schema a CRD of somebody else's has to hold. */
  readonly needed: Structural;
  /** The operator creates such objects itself, and not people alone. */
  readonly created?: true;
  readonly statusSubresource: false;
}

/** Every kind of the data path for pod volumes. */
export const KINDS: readonly KnownKind[] = [
  known(podVolumeBackupResource, podVolumeBackupSchema),
  known(podVolumeRestoreResource, podVolumeRestoreSchema),
  { ...known(backupRepositoryResource, backupRepositorySchema), created: true },
  known(backupStorageLocationResource, backupStorageLocationSchema),
];

function known(resource: Resource, schema: Structural): KnownKind {
  return { resource, schema, needed: neededSchema(resource.kind, schema), statusSubresource: false };
}
