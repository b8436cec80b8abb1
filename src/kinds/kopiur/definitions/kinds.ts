import type { Kind } from "../../../kube/schema/kind.ts";
import { backup } from "./backup.ts";
import { backupConfig } from "./backup_config.ts";
import { backupSchedule } from "./backup_schedule.ts";
import { clusterRepository } from "./cluster_repository.ts";
import { maintenance } from "./maintenance.ts";
import { repository } from "./repository.ts";
import { restore } from "./restore.ts";

/** The kinds of the native API. */
export const kopiurKinds: readonly Kind[] = [
  repository,
  clusterRepository,
  backupConfig,
  backup,
  backupSchedule,
  restore,
  maintenance,
];
