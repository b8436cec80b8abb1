import { backupResource } from "./generated/backup.ts";
import { backupConfigResource } from "./generated/backup_config.ts";
import { backupScheduleResource } from "./generated/backup_schedule.ts";
import { clusterRepositoryResource } from "./generated/cluster_repository.ts";
import { maintenanceResource } from "./generated/maintenance.ts";
import { repositoryResource } from "./generated/repository.ts";
import { restoreResource } from "./generated/restore.ts";

/** Every kind of the native API, by what people call it. */
export const KIND_WORDS = {
  backup: backupResource,
  restore: restoreResource,
  config: backupConfigResource,
  schedule: backupScheduleResource,
  repository: repositoryResource,
  clusterrepository: clusterRepositoryResource,
  maintenance: maintenanceResource,
} as const;
