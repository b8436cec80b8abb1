import type { ObservedDeletion } from "../../../core/backup/decide_deletion.ts";
import {
  type DeletionLookup,
  observeDeletion as observeRuns,
} from "../../../core/backup/observe_deletion.ts";
import { mayComeToRefer } from "../../../core/backup/turn_to_delete.ts";
import { blocked } from "../../../core/reconcile/problem.ts";
import { NAMESPACE_GONE } from "../../../core/repository/kept_snapshots.ts";
import { writable } from "../../../core/repository/read_only.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { SNAPSHOT_CLEANUP } from "../../../kinds/kopiur/finalizers.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { keyOf } from "../../../kube/object.ts";
import { err, ok } from "../../../lib/result.ts";
import { BY_REPOSITORY, BY_SNAPSHOT } from "../caches.ts";
import type { OwnIntent } from "../decision.ts";
import type { KopiurPorts } from "../ports.ts";
import { repositoryKey, repositoryText } from "../references.ts";
import { findRepository, useRepository } from "../repository_use.ts";
import { runContextOf } from "../run_context.ts";
import { deletionPolicyOf, isDiscovered } from "./backup_labels.ts";
import { observeBackup, requestOf } from "./observe_backup.ts";
import { backupObject, type ConfigPlan, configKey, planOf } from "./plan.ts";

/** Looks at a Backup that is being deleted, and at what it leaves behind. */
export async function observeDeletion(
  ports: KopiurPorts,
  backup: Backup,
  signal: AbortSignal,
): Promise<ObservedDeletion<OwnIntent>> {
  const { caches, clock } = ports;
  const plan = planOf(backup.status);
  const namespace = caches.namespaces.get(keyOf({ name: backup.metadata.namespace ?? "" }));
  const policy = isDiscovered(backup) ? "Retain" : deletionPolicyOf(backup, plan?.deletionPolicy);
  const namespaceGoing = namespace?.metadata.deletionTimestamp !== undefined;
  const seen = {
    backup: backupObject(backup),
    finalizer: SNAPSHOT_CLEANUP,
    policy,
    namespaceGoing,
    noteKept: () => noteKept(backup),
    now: clock.now(),
  };
  if (!plan) return seen;
  const lookup = { ...lookupOf(ports, backup, plan, signal), policy, namespaceGoing };
  return { ...seen, ...(await observeRuns(ports, requestOf(backup, plan), lookup, signal)) };
}

function lookupOf(
  ports: KopiurPorts,
  backup: Backup,
  plan: ConfigPlan,
  signal: AbortSignal,
): Omit<DeletionLookup, "policy" | "namespaceGoing"> {
  const { caches } = ports;
  const { namespace = "", uid } = backup.metadata;
  const key = repositoryKey(plan.repository, namespace);
  const stays = ({ metadata, status }: Backup) =>
    metadata.uid !== uid &&
    metadata.deletionTimestamp === undefined &&
    status?.resolved?.repository?.uniqueID === plan.repository.uniqueID;
  return {
    ending: () => observeBackup(ports, backup, { signal, cancel: true }),
    held: () => {
      const repository = findRepository(caches, key);
      return repository && ports.deletionGuard.holds(backup, repository);
    },
    repository: async () => {
      const witnesses = [caches.configs.get(configKey(backup))];
      const use = useRepository(ports, plan.repository, { namespace, witnesses });
      const { repository, permitted, ready } = use;
      if (!repository) {
        return err(
          blocked(
            "RepositoryNotFound",
            `${repositoryText(key)} does not exist, so its snapshots cannot be deleted. Create it again, or set the annotation ${ANNOTATIONS.skipSnapshotCleanup}: "true" on the Backup, which goes then, and its snapshots stay.`,
          ),
        );
      }
      if (!permitted.ok) return permitted;
      return ok({
        ready: writable(ready, "deletion"),
        context: () => runContextOf(ports, repository, namespace, signal),
      });
    },
    ownersOf: (name) =>
      caches.backups
        .indexed(BY_SNAPSHOT, name)
        .filter((other) => stays(other) && !isDiscovered(other))
        .map(backupObject),
    referring: () =>
      caches.backups.indexed(BY_REPOSITORY, key).find((object) => {
        const its = object.metadata.uid === uid ? undefined : planOf(object.status);
        return its !== undefined && mayComeToRefer(object, its, plan);
      }),
  };
}

/** A repository elsewhere learns what it should have been rid of. */
function noteKept(backup: Backup): readonly OwnIntent[] {
  const { namespace = "", deletionTimestamp: since = "" } = backup.metadata;
  const { kind, name, namespace: place = namespace } = backup.status?.resolved?.repository ?? {};
  const ofCluster = kind === "ClusterRepository";
  if (name === undefined || (!ofCluster && place === namespace)) return [];
  const snapshots = (backup.status?.snapshots ?? []).map(({ kopiaSnapshotID: snapshotID }) => ({
    snapshotID,
    backup: keyOf(backup),
    since,
    reason: NAMESPACE_GONE,
  }));
  const repository = ofCluster ? { name } : { namespace: place, name };
  return [{ type: "NoteKept", kept: { repository, snapshots } }];
}
