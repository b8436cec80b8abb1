import { backupCases } from "./backup_cases.ts";
import { backupConfigCases } from "./backup_config_cases.ts";
import { backupScheduleCases } from "./backup_schedule_cases.ts";
import type { KindCases } from "./case.ts";
import { clusterRepositoryCases } from "./cluster_repository_cases.ts";
import { maintenanceCases } from "./maintenance_cases.ts";
import { repositoryCases } from "./repository_cases.ts";
import { restoreCases } from "./restore_cases.ts";

/** Good and bad objects of every kind. */
export const kopiurCases: readonly KindCases[] = [
  repositoryCases,
  clusterRepositoryCases,
  backupConfigCases,
  backupCases,
  backupScheduleCases,
  restoreCases,
  maintenanceCases,
];
