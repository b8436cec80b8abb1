import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { type BackupConfig, backupConfigResource } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import { lastSeen } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey, type ObjectName } from "../../../kube/object.ts";
import { labelValue } from "../../../lib/names.ts";
import { requesterOf } from "../backup/delegate/delegate_of.ts";
import { isDelegated } from "../backup/delegate/is_delegated.ts";
import { BY_CONFIG, BY_RECIPE } from "../caches.ts";
import { deleteMarked } from "../delete_marked.ts";
import { hasTurned } from "../has_turned.ts";
import { controllerPorts, type KopiurPorts } from "../ports.ts";
import { repositoryKey } from "../references.ts";
import { findRepository } from "../repository_use.ts";
import { isOver } from "../restore/restore_stage.ts";
import { isReaching } from "../rules/reach.ts";
import { writeFitted } from "../write_fitted.ts";
import { decideRequests } from "./decide_requests.ts";
import { afterPruning, decideRetention, type ObservedRetention, PERIOD } from "./decide_retention.ts";
import { neededBackups } from "./needed_backups.ts";

/** Deletes the Backups that no rule of their recipe keeps, and shows what would go next. */
export function retentionController(ports: KopiurPorts): Controller {
  const { configs, backups, schedules, restores } = ports.caches;
  return (
    new Controller({
      ...controllerPorts(ports),
      name: "kopiur-retention",
      concurrency: 4,
      reconcile: (key, signal) => reconcile(ports, key, signal),
    })
      .watch(configs)
      .watch(schedules, {
        keys: (change) => {
          const { metadata, spec } = lastSeen(change);
          return [keyOf({ namespace: metadata.namespace, name: spec.configRef.name })];
        },
      })
      .watch(backups, {
        when: hasTurned,
        keys: (change) => {
          const { metadata, spec } = lastSeen(change);
          return spec.configRef ? [keyOf({ namespace: metadata.namespace, name: spec.configRef.name })] : [];
        },
      })
      // What had others made goes after them.
      .watch(backups, {
        when: ({ type }) => type === "removed",
        keys: (change) =>
          requesterOf(lastSeen(change)).flatMap((key) => {
            const asking = backups.get(key);
            const name = asking?.spec.configRef?.name;
            return name === undefined ? [] : [keyOf({ namespace: asking?.metadata.namespace, name })];
          }),
      })
      .watch(restores, {
        when: (change) => change.type === "removed" || isOver(change.object),
        keys: (change) => {
          const name = recipeOf(ports, lastSeen(change));
          return name ? [keyOf(name)] : [];
        },
      })
  );
}

/** The recipe whose Backup a restore needed. */
function recipeOf({ caches }: KopiurPorts, { metadata, spec, status }: Restore): ObjectName | undefined {
  const { namespace } = metadata;
  const ref = status?.resolved?.backupRef ?? spec.source.backupRef;
  if (!ref) return spec.source.fromConfig && { namespace, ...spec.source.fromConfig };
  const backup = caches.backups.get(keyOf({ namespace, ...ref }));
  const name = backup?.spec.configRef?.name;
  return name === undefined ? undefined : { namespace: backup?.metadata.namespace, name };
}

async function reconcile(ports: KopiurPorts, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
  const { client, caches, clock, events } = ports;
  const seen = caches.configs.get(key);
  if (!seen || seen.metadata.deletionTimestamp) return done;
  if (isReaching(seen)) return reconcileRequests(ports, seen, signal);
  let observed = observe(ports, seen, caches.backups.indexed(BY_RECIPE, key));
  let decision = decideRetention(observed);
  if (decision.prune.length > 0) {
    observed = await lookAnew(ports, seen, signal);
    decision = decideRetention(observed);
  }
  const { config } = observed;
  if (config.metadata.deletionTimestamp) return done;
  for (const backup of decision.prune) await deleteMarked(client, backup, "Retention", { signal });
  const status = afterPruning(decision.status, decision.prune.length, clock.now());
  await writeFitted(client, { resource: backupConfigResource, object: config, status }, { signal });
  for (const note of decision.events) events.event(config, note);
  tellPruned(ports, config, decision.prune);
  const { wakeAt } = decision;
  return wakeAt === undefined ? done : requeueAfter(Math.max(0, wakeAt - clock.now()));
}

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

function observe(
  { caches, clock }: KopiurPorts,
  config: BackupConfig,
  backups: readonly Backup[],
): ObservedRetention {
  const { repository = config.spec.repository } = config.status?.resolved ?? {};
  return {
    config,
    repository: findRepository(caches, repositoryKey(repository, config.metadata.namespace ?? "")),
    backups,
    schedules: caches.schedules.indexed(BY_CONFIG, keyOf(config)),
    needed: neededBackups(backups, caches.restores.values()),
    now: clock.now(),
  };
}

/** What is deleted is decided on what the API server holds now: a cache may be behind, and a newer Backup gone. */
async function lookAnew(
  ports: KopiurPorts,
  { metadata }: BackupConfig,
  signal: AbortSignal,
): Promise<ObservedRetention> {
  const { client } = ports;
  const { namespace = "", name } = metadata;
  const labelSelector = `${LABELS.backupConfig}=${labelValue(name)}`;
  const config = await client.get(backupConfigResource, { namespace, name }, { signal });
  const { items } = await client.list(backupResource, { namespace, labelSelector, signal });
  const made = items.filter((one) => one.spec.configRef?.name === name && !isDelegated(one));
  return observe(ports, config, made);
}

function tellPruned({ events }: KopiurPorts, config: BackupConfig, pruned: readonly Backup[]): void {
  if (pruned.length === 0) return;
  const names = pruned.map(({ metadata }) => metadata.name).join(", ");
  const message =
    pruned.length === 1
      ? `Backup ${names} was deleted: no rule keeps it.`
      : `${pruned.length} Backups were deleted, which no rule keeps: ${names}.`;
  events.event(config, { type: "Normal", reason: "Pruned", message });
}
