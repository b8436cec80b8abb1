import type { Resource } from "../../kube/resource.ts";
import type { Structural } from "../../kube/schema/structural.ts";
import { backupResource, backupSchema } from "./generated/backup.ts";
import { backupConfigResource, backupConfigSchema } from "./generated/backup_config.ts";
import { backupScheduleResource, backupScheduleSchema } from "./generated/backup_schedule.ts";
import { clusterRepositoryResource, clusterRepositorySchema } from "./generated/cluster_repository.ts";
import { maintenanceResource, maintenanceSchema } from "./generated/maintenance.ts";
import { repositoryResource, repositorySchema } from "./generated/repository.ts";
import { restoreResource, restoreSchema } from "./generated/restore.ts";

/** A kind as programs know it. */
export interface KnownKind {
  readonly resource: Resource;
  readonly schema: Structural;
  /** The operator creates such objects itself, and not people alone. */
  readonly created?: true;
}

/** Every kind of the native API. */
export const KINDS: readonly KnownKind[] = [
  { resource: repositoryResource, schema: repositorySchema },
  { resource: clusterRepositoryResource, schema: clusterRepositorySchema },
  { resource: backupConfigResource, schema: backupConfigSchema, created: true },
  { resource: backupResource, schema: backupSchema, created: true },
  { resource: backupScheduleResource, schema: backupScheduleSchema },
  { resource: restoreResource, schema: restoreSchema },
  { resource: maintenanceResource, schema: maintenanceSchema, created: true },
];
