import type { AdmissionCase } from "./admission_case.ts";
import { backupCases } from "./backup_cases.ts";
import { configReferenceCases, configRuleCases } from "./config_cases.ts";
import { clusterRepositoryCases, repositoryCases } from "./repository_cases.ts";
import { restoreCases } from "./restore_cases.ts";
import { maintenanceCases, scheduleCases } from "./schedule_cases.ts";

/** Good and bad objects of every kind, amid others. */
export const admissionCases: readonly { readonly kind: string; readonly cases: readonly AdmissionCase[] }[] =
  [
    { kind: "Repository", cases: repositoryCases },
    { kind: "ClusterRepository", cases: clusterRepositoryCases },
    { kind: "BackupConfig", cases: [...configReferenceCases, ...configRuleCases] },
    { kind: "Backup", cases: backupCases },
    { kind: "BackupSchedule", cases: scheduleCases },
    { kind: "Restore", cases: restoreCases },
    { kind: "Maintenance", cases: maintenanceCases },
  ];
