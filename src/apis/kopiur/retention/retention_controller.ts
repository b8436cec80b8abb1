import { controllerPorts } from "../../../core/reconcile/engine_room.ts";
import { writeFitted } from "../../../core/reconcile/fitted_status.ts";
import { phaseOrSpecChanged } from "../../../core/reconcile/phase_or_spec_changed.ts";
import { isOver } from "../../../core/restore/restore_stage.ts";
import { PERIOD } from "../../../core/retention/decide_retention.ts";
import {
  type RetentionApi,
  reconcileRetention,
  tellPruned,
} from "../../../core/retention/reconcile_retention.ts";
import { type Backup, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { type BackupConfig, backupConfigResource } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import { lastSeen } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectName } from "../../../kube/object.ts";
import { labelValue } from "../../../lib/names.ts";
import { BY_CONFIG, BY_RECIPE } from "../caches.ts";
import { isCrossNamespace, parentOf } from "../children/child.ts";
import { deleteMarked } from "../delete_marked.ts";
import { isMultiNamespace } from "../multi_namespace/namespaces_of.ts";
import type { KopiurPorts } from "../ports.ts";
import { repositoryKey } from "../references.ts";
import { findRepository } from "../repository_use.ts";
import { decideRequests } from "./decide_requests.ts";
import { neededNames } from "./needed_backups.ts";
import { observedRetention } from "./observed_retention.ts";

/** Deletes the Backups that no rule of their BackupConfig keeps, and shows what would go next. */
export function retentionController(ports: KopiurPorts): Controller {
  const { configs, backups, schedules, restores } = ports.caches;
  const api = retentionApi(ports);
  return (
    new Controller({
      ...controllerPorts(ports),
      name: "kopiur-retention",
      concurrency: 4,
      reconcile: (key, signal) => {
        const seen = configs.get(key);
        if (!seen || seen.metadata.deletionTimestamp) return Promise.resolve(done);
        return isMultiNamespace(seen)
          ? reconcileRequests(ports, seen, signal)
          : reconcileRetention(ports, api, seen, signal);
      },
    })
      .watch(configs)
      .watch(schedules, {
        keys: (change) => {
          const { metadata, spec } = lastSeen(change);
          return [keyOf({ namespace: metadata.namespace, name: spec.configRef.name })];
        },
      })
      .watch(backups, {
        when: phaseOrSpecChanged,
        keys: (change) => {
          const { metadata, spec } = lastSeen(change);
          return spec.configRef ? [keyOf({ namespace: metadata.namespace, name: spec.configRef.name })] : [];
        },
      })
      // What had others made goes after them.
      .watch(backups, {
        when: ({ type }) => type === "removed",
        keys: (change) =>
          parentOf(lastSeen(change)).flatMap((key) => {
            const asking = backups.get(key);
            const name = asking?.spec.configRef?.name;
            return name === undefined ? [] : [keyOf({ namespace: asking?.metadata.namespace, name })];
          }),
      })
      .watch(restores, {
        when: (change) => change.type === "removed" || isOver(change.object),
        keys: (change) => {
          const name = configOf(ports, lastSeen(change));
          return name ? [keyOf(name)] : [];
        },
      })
  );
}

/** The BackupConfig whose Backup a restore needed. */
function configOf({ caches }: KopiurPorts, { metadata, spec, status }: Restore): ObjectName | undefined {
  const { namespace } = metadata;
  const ref = status?.resolved?.backupRef ?? spec.source.backupRef;
  if (!ref) return spec.source.fromConfig && { namespace, ...spec.source.fromConfig };
  const backup = caches.backups.get(keyOf({ namespace, ...ref }));
  const name = backup?.spec.configRef?.name;
  return name === undefined ? undefined : { namespace: backup?.metadata.namespace, name };
}

function retentionApi({ client, caches, clock }: KopiurPorts): RetentionApi<BackupConfig, Backup> {
  return {
    owners: backupConfigResource,
    backupsOf: (config) => caches.backups.indexed(BY_RECIPE, keyOf(config)),
    listBackups: async ({ metadata: { namespace = "", name } }, { signal }) => {
      const labelSelector = `${LABELS.backupConfig}=${labelValue(name)}`;
      const { items } = await client.list(backupResource, {
        namespace,
        labelSelector,
        ...(signal ? { signal } : {}),
      });
      return items.filter((one) => one.spec.configRef?.name === name && !isCrossNamespace(one));
    },
    observe: (config, backups) => {
      const { repository = config.spec.repository } = config.status?.resolved ?? {};
      return observedRetention({
        config,
        repository: findRepository(caches, repositoryKey(repository, config.metadata.namespace ?? "")),
        backups,
        schedules: caches.schedules.indexed(BY_CONFIG, keyOf(config)),
        needed: neededNames(backups, caches.restores.values()),
        now: clock.now(),
      });
    },
    prune: (backup, call) => deleteMarked(client, backup, "Retention", call),
  };
}

/** Of a BackupConfig for several namespaces only requests are pruned: the snapshots are of the BackupConfigs there. */
async function reconcileRequests(
  ports: KopiurPorts,
  config: BackupConfig,
  signal: AbortSignal,
): Promise<Outcome> {
  const { client, caches, lookup, clock } = ports;
  const { prune, status } = decideRequests({
    config,
    backups: caches.backups.indexed(BY_RECIPE, keyOf(config)),
    find: (name) => lookup.backup(name),
    now: clock.now(),
  });
  for (const backup of prune) await deleteMarked(client, backup, "Retention", { signal });
  await writeFitted(client, { resource: backupConfigResource, object: config, status }, { signal });
  tellPruned(ports, config, prune);
  return requeueAfter(PERIOD);
}
