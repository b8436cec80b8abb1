import { decideBackup } from "../../../core/backup/decide_backup.ts";
import { decideDeletion } from "../../../core/backup/decide_deletion.ts";
import { controllerPorts } from "../../../core/reconcile/engine_room.ts";
import { readinessChanged } from "../../../core/reconcile/readiness_changed.ts";
import { recordHoldersOf } from "../../../core/reconcile/record_holders_of.ts";
import { targetName } from "../../../core/restore/restore.ts";
import { toStagedOwner } from "../../../core/volumes/staging/staged_marks.ts";
import type { Backup, BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import { backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { lastSeen } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { act } from "../act.ts";
import { BY_CONFIG, BY_NAMESPACE, BY_REPOSITORY, BY_TARGET_NAMESPACE } from "../caches.ts";
import { isCrossNamespace, isMultiNamespace, parentOf } from "../children/child.ts";
import { decideChildren } from "../children/decide_children.ts";
import { observeChildren } from "../children/observe_children.ts";
import type { Decision } from "../decision.ts";
import { originKey } from "../multi_namespace/derived_config.ts";
import type { KopiurPorts } from "../ports.ts";
import { isDiscovered } from "./backup_labels.ts";
import { becomesWhole, beginsOrEnds } from "./being_restored.ts";
import { observeBackup } from "./observe_backup.ts";
import { observeDeletion } from "./observe_deletion.ts";
import { backupStatus, configKey, planOf } from "./plan.ts";

/** Makes Backups what they say: runs them, and looks after what they made when they go. */
export function backupController(ports: KopiurPorts): Controller {
  const { backups, restores, configs, repositories, clusterRepositories, claims, namespaces } = ports.caches;
  const inNamespace = (namespace = "") => backups.indexed(BY_NAMESPACE, namespace).map(keyOf);
  // Only these wait for claims to come: the others would be woken by every copy that is made for one of them.
  const unresolved = (namespace = "") =>
    backups
      .indexed(BY_NAMESPACE, namespace)
      .filter(({ status }) => !planOf(status))
      .map(keyOf);
  const ofClaim = ({ namespace = "", name }: { readonly namespace?: string; readonly name: string }) => {
    const claim = keyOf({ namespace, name });
    const reads = ({ status }: Backup) => planOf(status)?.sources.some(({ pvc }) => pvc === claim);
    return backups.indexed(BY_NAMESPACE, namespace).filter(reads).map(keyOf);
  };
  const ofRepository = ({ key }: { readonly key: ObjectKey }) =>
    backups.indexed(BY_REPOSITORY, key).map(keyOf);
  const controller = new Controller({
    ...controllerPorts(ports),
    name: "kopiur-backup",
    concurrency: 8,
    reconcile: (key, signal) => reconcile(ports, key, signal),
  })
    .watch(backups)
    .watch(backups, {
      keys: (change) => parentOf(lastSeen(change)),
    })
    .watch(configs, { when: readinessChanged, keys: ({ key }) => backups.indexed(BY_CONFIG, key).map(keyOf) })
    // Those of several namespaces wait for the recipes that repeat theirs, and for the consent of the namespaces.
    .watch(configs, {
      when: readinessChanged,
      keys: (change) => {
        const origin = originKey(lastSeen(change));
        return origin === undefined ? [] : backups.indexed(BY_CONFIG, origin).map(keyOf);
      },
    })
    .watch(namespaces, {
      keys: ({ key }) =>
        configs
          .indexed(BY_TARGET_NAMESPACE, key)
          .flatMap((config) => backups.indexed(BY_CONFIG, keyOf(config)).map(keyOf)),
    })
    .watch(repositories, { when: readinessChanged, keys: ofRepository })
    .watch(claims, {
      when: ({ type }) => type === "added",
      keys: (change) => (change.type === "added" ? unresolved(change.object.metadata.namespace) : []),
    })
    .watch(claims, { keys: toStagedOwner(backupResource) })
    // What is not captured yet waits for the end of a Restore into the same claim.
    .watch(restores, {
      when: beginsOrEnds,
      keys: (change) => {
        const restore = lastSeen(change);
        return ofClaim({ ...restore.metadata, name: targetName(restore) ?? "" });
      },
    })
    // So it does where one has left the claim half written, until that says so no more.
    .watch(claims, { when: becomesWhole, keys: (change) => ofClaim(lastSeen(change).metadata) })
    .watch(namespaces, { when: ({ type }) => type !== "removed", keys: ({ key }) => inNamespace(key) });
  if (clusterRepositories)
    controller.watch(clusterRepositories, { when: readinessChanged, keys: ofRepository });
  ports.tasks.wake(controller, backupResource);
  ports.hooks.wake(controller, backupResource);
  ports.queues.recordHolders(recordHoldersOf(backups, controller));
  return controller;
}

async function reconcile(ports: KopiurPorts, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
  const backup = ports.caches.backups.get(key);
  // What was found is the catalogue's, but for its end.
  if (!backup || (isDiscovered(backup) && !backup.metadata.deletionTimestamp)) return done;
  const decision = await decide(ports, backup, signal);
  return act(ports, { resource: backupResource, object: backup }, decision, signal);
}

async function decide(
  ports: KopiurPorts,
  backup: Backup,
  signal: AbortSignal,
): Promise<Decision<BackupStatus>> {
  if (isCrossNamespace(backup) || isMultiNamespace(backup, ports.caches.configs.get(configKey(backup)))) {
    return decideChildren(await observeChildren(ports, backup, signal));
  }
  const { status, ...decision } = backup.metadata.deletionTimestamp
    ? decideDeletion(await observeDeletion(ports, backup, signal))
    : decideBackup(await observeBackup(ports, backup, { signal }));
  return { ...decision, ...(status ? { status: backupStatus(backup, status) } : {}) };
}
