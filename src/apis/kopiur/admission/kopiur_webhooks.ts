import { type Backup, backupResource, backupSchema } from "../../../kinds/kopiur/generated/backup.ts";
import {
  type BackupConfig,
  backupConfigResource,
  backupConfigSchema,
} from "../../../kinds/kopiur/generated/backup_config.ts";
import {
  type BackupSchedule,
  backupScheduleResource,
  backupScheduleSchema,
} from "../../../kinds/kopiur/generated/backup_schedule.ts";
import {
  type ClusterRepository,
  clusterRepositoryResource,
  clusterRepositorySchema,
} from "../../../kinds/kopiur/generated/cluster_repository.ts";
import {
  type Maintenance,
  maintenanceResource,
  maintenanceSchema,
} from "../../../kinds/kopiur/generated/maintenance.ts";
import {
  type Repository,
  repositoryResource,
  repositorySchema,
} from "../../../kinds/kopiur/generated/repository.ts";
import { type Restore, restoreResource, restoreSchema } from "../../../kinds/kopiur/generated/restore.ts";
import type { Webhook } from "../../../kube/admission/webhook.ts";
import type { KopiurSettings } from "../settings.ts";
import { checkBackup } from "./check_backup.ts";
import { checkConfig } from "./check_config.ts";
import { checkMaintenance } from "./check_maintenance.ts";
import { checkClusterRepository, checkRepository } from "./check_repository.ts";
import { checkRestore } from "./check_restore.ts";
import { checkSchedule } from "./check_schedule.ts";
import { completeBackup } from "./complete_backup.ts";
import { completeRestore } from "./complete_restore.ts";
import { backupCrossings, configCrossings, maintenanceCrossings, restoreCrossings } from "./crossings.ts";
import { type Guard, type GuardPorts, guardWebhooks } from "./guard.ts";
import { hookTrials, moverTrial } from "./trial_jobs.ts";

export interface KopiurWebhooksOptions extends GuardPorts {
  readonly settings: KopiurSettings;
}

/** How each kind of this API is guarded. */
export function kopiurWebhooks(ports: KopiurWebhooksOptions): readonly Webhook[] {
  const { settings, namespace, operatorNamespace } = ports;
  const repositories: Guard<Repository> = {
    resource: repositoryResource,
    schema: repositorySchema,
    check: checkRepository,
    trials: ({ object, old }) =>
      moverTrial({
        namespace: object.metadata.namespace ?? "",
        mover: object.spec.moverDefaults,
        old: old?.spec.moverDefaults,
        at: "spec.moverDefaults",
        settings,
      }),
  };
  const clusterRepositories: Guard<ClusterRepository> = {
    resource: clusterRepositoryResource,
    schema: clusterRepositorySchema,
    check: checkClusterRepository,
    trials: ({ object, old }) =>
      moverTrial({
        namespace: operatorNamespace,
        mover: object.spec.moverDefaults,
        old: old?.spec.moverDefaults,
        at: "spec.moverDefaults",
        settings,
      }),
  };
  const configs: Guard<BackupConfig> = {
    resource: backupConfigResource,
    schema: backupConfigSchema,
    check: checkConfig,
    crossings: configCrossings,
    trials: (change) => [...ownMover(change, settings), ...hookTrials(change.object, change.old)],
  };
  const backups: Guard<Backup> = {
    resource: backupResource,
    schema: backupSchema,
    check: checkBackup,
    // Only at the door is it known who makes a Backup without a recipe, which stands for a snapshot that was found.
    unchecked: "deny",
    crossings: backupCrossings,
    complete: completeBackup,
  };
  const schedules: Guard<BackupSchedule> = {
    resource: backupScheduleResource,
    schema: backupScheduleSchema,
    check: checkSchedule,
  };
  const restores: Guard<Restore> = {
    resource: restoreResource,
    schema: restoreSchema,
    check: checkRestore,
    crossings: restoreCrossings,
    complete: completeRestore,
    trials: (change) => ownMover(change, settings),
  };
  const maintenances: Guard<Maintenance> = {
    resource: maintenanceResource,
    schema: maintenanceSchema,
    check: checkMaintenance,
    crossings: maintenanceCrossings,
    trials: (change) => ownMover(change, settings),
  };
  return [
    ...guardWebhooks(repositories, ports),
    // An operator of one namespace does not answer for the whole cluster.
    ...(namespace === undefined ? guardWebhooks(clusterRepositories, ports) : []),
    ...guardWebhooks(configs, ports),
    ...guardWebhooks(backups, ports),
    ...guardWebhooks(schedules, ports),
    ...guardWebhooks(restores, ports),
    ...guardWebhooks(maintenances, ports),
  ];
}

type WithMover = BackupConfig | Restore | Maintenance;

function ownMover(
  { object, old }: { readonly object: WithMover; readonly old: WithMover | undefined },
  settings: KopiurSettings,
) {
  const namespace = object.metadata.namespace ?? "";
  return moverTrial({ namespace, mover: object.spec.mover, old: old?.spec.mover, settings });
}
