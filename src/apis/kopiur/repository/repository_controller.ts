import { listed } from "../../../core/consent/permission.ts";
import { CONDITIONS } from "../../../core/reconcile/condition_types.ts";
import type { PendingDeletion } from "../../../core/repository/repository.ts";
import { repositoryController as connecting } from "../../../core/repository/repository_controller.ts";
import { claimOfRepository } from "../../../core/repository/volume_problem.ts";
import { withDeletions } from "../../../core/repository/with_deletions.ts";
import { withTenancy } from "../../../core/repository/with_tenancy.ts";
import { operatorNamespaceOf } from "../../../core/work/settings.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import {
  type ClusterRepository,
  clusterRepositoryResource,
} from "../../../kinds/kopiur/generated/cluster_repository.ts";
import { repositoryResource } from "../../../kinds/kopiur/generated/repository.ts";
import { type Cache, type Change, lastSeen } from "../../../kube/cache/cache.ts";
import { findIn } from "../../../kube/cache/found.ts";
import type { Controller } from "../../../kube/controller/controller.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import type { KopiurPorts } from "../ports.ts";
import { type AnyRepository, isOfCluster, repositoryKey } from "../references.ts";
import { runContextOf } from "../run_context.ts";

/** Connects to repositories, and creates those that are to be created. */
export function repositoryController(ports: KopiurPorts): Controller {
  const { repositories, namespaces } = ports.caches;
  return (
    controllerOf(ports, "kopiur-repository", repositoryResource, repositories)
      // Whether movers may have privileges is said on the namespace.
      .watch(namespaces, {
        when: ({ type }) => type !== "removed",
        keys: ({ key }) =>
          [...repositories.values()].filter((one) => one.metadata.namespace === key).map(keyOf),
      })
  );
}

/** The same for those of the whole cluster, from the operator's namespace. */
export function clusterRepositoryController(ports: KopiurPorts, cache: Cache<ClusterRepository>): Controller {
  const controller = controllerOf(ports, "kopiur-clusterrepository", clusterRepositoryResource, cache);
  // For how many namespaces it is follows from which there are, and their labels.
  return controller.watch(ports.caches.namespaces, { keys: () => [...cache.values()].map(keyOf) });
}

function controllerOf<T extends AnyRepository>(
  ports: KopiurPorts,
  name: string,
  resource: Resource<T>,
  cache: Cache<T>,
): Controller {
  const { deletionGuard, settings } = ports;
  const { claims } = ports.caches;
  const home = operatorNamespaceOf(settings);
  return connecting<T>(ports, {
    name,
    resource,
    cache,
    context: (repository, namespace, signal) => runContextOf(ports, repository, namespace, signal),
    claim: (repository) => {
      const name = claimOfRepository(repository);
      if (name === undefined) return "unknown";
      return findIn(claims, { namespace: repository.metadata.namespace ?? home, name });
    },
    also: (decision, repository, now) => {
      const known = isOfCluster(repository)
        ? withTenancy(decision, { repository, count: allowedCount(ports, repository), now })
        : decision;
      const deletions = deletionGuard.survey(repository);
      const blocked = deletionGuard.deleting(repository).flatMap(blockedDeletions);
      return withDeletions(known, { repository, deletions, blocked, now });
    },
  })
    .watch(ports.caches.backups, {
      when: concernsDeletion,
      keys: (change) => repositoryOf(change, resource.namespaced),
    })
    .watch(claims, {
      // That the claim it lies on comes or goes.
      when: (change) => change.type !== "updated" || isGoing(change.object) !== isGoing(change.previous),
      keys: (change) =>
        [...cache.values()]
          .filter(
            (one) =>
              keyOf({ namespace: one.metadata.namespace ?? home, name: claimOfRepository(one) ?? "" }) ===
              change.key,
          )
          .map(keyOf),
    });
}

function isGoing({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function allowedCount({ caches }: KopiurPorts, { spec }: ClusterRepository): number {
  return [...caches.namespaces.values()].filter(({ metadata }) => {
    const tenant = { namespace: metadata.name, labels: metadata.labels ?? {} };
    return listed(spec.allowedNamespaces, tenant) === "granted";
  }).length;
}

/** Snapshots of a Backup that should be gone, and why they are not. */
export function blockedDeletions({ metadata, status }: Backup): readonly PendingDeletion[] {
  const why = status?.conditions?.find(({ type }) => type === CONDITIONS.snapshotDeletionFailed);
  if (why?.status !== "True") return [];
  return (status?.snapshots ?? []).map(({ kopiaSnapshotID: snapshotID }) => ({
    snapshotID,
    backup: keyOf(metadata),
    since: metadata.deletionTimestamp ?? why.lastTransitionTime,
    reason: why.reason,
  }));
}

/** A Backup is to be deleted, says something new of it, or is gone. */
function concernsDeletion(change: Change<Backup>): boolean {
  return lastSeen(change).metadata.deletionTimestamp !== undefined;
}

/** The repository that holds a Backup's snapshots, if it is of this scope. */
function repositoryOf(change: Change<Backup>, namespaced: boolean): readonly ObjectKey[] {
  const { metadata, status } = lastSeen(change);
  const ref = status?.resolved?.repository;
  if (!ref || (ref.kind === "Repository") !== namespaced) return [];
  return [repositoryKey(ref, metadata.namespace ?? "")];
}
