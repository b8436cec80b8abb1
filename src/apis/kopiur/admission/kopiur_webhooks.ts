import { type GuardPorts, guardWebhooks } from "../../../core/admission/guard.ts";
import { hookTrials, moverTrial } from "../../../core/admission/trial_jobs.ts";
import type { Settings } from "../../../core/work/settings.ts";
import { DERIVED_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { backupResource, backupSchema } from "../../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource, backupConfigSchema } from "../../../kinds/kopiur/generated/backup_config.ts";
import {
  backupScheduleResource,
  backupScheduleSchema,
} from "../../../kinds/kopiur/generated/backup_schedule.ts";
import {
  clusterRepositoryResource,
  clusterRepositorySchema,
} from "../../../kinds/kopiur/generated/cluster_repository.ts";
import { maintenanceResource, maintenanceSchema } from "../../../kinds/kopiur/generated/maintenance.ts";
import { repositoryResource, repositorySchema } from "../../../kinds/kopiur/generated/repository.ts";
import { restoreResource, restoreSchema } from "../../../kinds/kopiur/generated/restore.ts";
import type { MoverSpec } from "../../../kinds/kopiur/parts.ts";
import type { Webhook } from "../../../kube/admission/webhook.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { AnyRepository } from "../references.ts";
import { checkBackup } from "./check_backup.ts";
import { checkConfig } from "./check_config.ts";
import { checkMaintenance } from "./check_maintenance.ts";
import { checkClusterRepository, checkRepository } from "./check_repository.ts";
import { checkRestore } from "./check_restore.ts";
import { checkSchedule } from "./check_schedule.ts";
import { completeBackup } from "./complete_backup.ts";
import { completeRestore } from "./complete_restore.ts";
import { consentRules } from "./consent_rules.ts";
import { backupCrossings, configCrossings, maintenanceCrossings, restoreCrossings } from "./crossings.ts";
import { KNOWN_MARKS } from "./known_marks.ts";
import type { Lookup } from "./lookup.ts";

export interface KopiurWebhooksOptions extends Omit<GuardPorts<Lookup>, "api" | "consent"> {
  readonly settings: Settings;
}

type WithMover = KubeObject & { readonly spec: { readonly mover?: Partial<MoverSpec> } };

/** How each kind of this API is guarded. */
export function kopiurWebhooks(options: KopiurWebhooksOptions): readonly Webhook[] {
  const { settings, namespace: watched, operatorNamespace } = options;
  const ports = { ...options, api: "kopiur", consent: consentRules(options.lookup), marks: KNOWN_MARKS };
  const ownMover = ({ object, old }: { readonly object: WithMover; readonly old: WithMover | undefined }) => {
    const { namespace = "" } = object.metadata;
    const { mover } = object.spec;
    const at = "spec.mover";
    return moverTrial({ object, namespace, engine: "kopia", mover, old: old?.spec.mover, at, settings });
  };
  const defaults = ({
    object,
    old,
  }: {
    readonly object: AnyRepository;
    readonly old: AnyRepository | undefined;
  }) => {
    const { namespace = operatorNamespace } = object.metadata;
    const { engine, moverDefaults: mover } = object.spec;
    const at = "spec.moverDefaults";
    return moverTrial({ object, namespace, engine, mover, old: old?.spec.moverDefaults, at, settings });
  };
  const repositories = {
    resource: repositoryResource,
    schema: repositorySchema,
    check: checkRepository,
    trials: defaults,
  };
  const clusterRepositories = {
    resource: clusterRepositoryResource,
    schema: clusterRepositorySchema,
    check: checkClusterRepository,
    trials: defaults,
  };
  return [
    ...guardWebhooks(repositories, ports),
    // An operator of one namespace does not answer for the whole cluster.
    ...(watched === undefined ? guardWebhooks(clusterRepositories, ports) : []),
    ...guardWebhooks(
      {
        resource: backupConfigResource,
        schema: backupConfigSchema,
        check: checkConfig,
        crossings: configCrossings,
        // What the operator repeats for another namespace, it may refer to only where that one is listed.
        isOnBehalf: ({ metadata }) => metadata.annotations?.[DERIVED_ANNOTATIONS.from] !== undefined,
        trials: (change) => {
          const { metadata, spec } = change.object;
          const hooks = hookTrials(
            metadata.namespace ?? "",
            spec.hooks,
            change.old?.spec.hooks,
            "spec.hooks",
          );
          return [...ownMover(change), ...hooks];
        },
      },
      ports,
    ),
    ...guardWebhooks(
      {
        resource: backupResource,
        schema: backupSchema,
        check: checkBackup,
        // Only here is it known who makes a Backup without a BackupConfig, which stands for a snapshot that was found.
        unchecked: "deny",
        crossings: backupCrossings,
        complete: completeBackup,
      },
      ports,
    ),
    ...guardWebhooks(
      { resource: backupScheduleResource, schema: backupScheduleSchema, check: checkSchedule },
      ports,
    ),
    ...guardWebhooks(
      {
        resource: restoreResource,
        schema: restoreSchema,
        check: checkRestore,
        crossings: restoreCrossings,
        complete: completeRestore,
        trials: ownMover,
      },
      ports,
    ),
    ...guardWebhooks(
      {
        resource: maintenanceResource,
        schema: maintenanceSchema,
        check: checkMaintenance,
        crossings: maintenanceCrossings,
        trials: ownMover,
      },
      ports,
    ),
  ];
}
