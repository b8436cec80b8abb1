import { blockedSnapshots } from "../../../core/backup/deletion_guard.ts";
import { listed } from "../../../core/consent/permission.ts";
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
import type { Controller } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
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
    claims: {
      cache: claims,
      of: (repository) => {
        const name = claimOfRepository(repository);
        return name === undefined ? undefined : { namespace: repository.metadata.namespace ?? home, name };
      },
    },
    also: (decision, repository, now) => {
      const known = isOfCluster(repository)
        ? withTenancy(decision, { repository, count: allowedCount(ports, repository), now })
        : decision;
      const deletions = deletionGuard.survey(repository);
      const blocked = deletionGuard.deleting(repository).flatMap(blockedDeletions);
      return withDeletions(known, { repository, deletions, blocked, now });
    },
  }).watch(ports.caches.backups, {
    when: concernsDeletion,
    keys: (change) => repositoryOf(change, resource.namespaced),
  });
}

function allowedCount({ caches }: KopiurPorts, { spec }: ClusterRepository): number {
  return [...caches.namespaces.values()].filter(({ metadata }) => {
    const tenant = { namespace: metadata.name, labels: metadata.labels ?? {} };
    return listed(spec.allowedNamespaces, tenant) === "granted";
  }).length;
}

/** Snapshots of a Backup that should be gone, and why they are not. */
export function blockedDeletions(backup: Backup): readonly PendingDeletion[] {
  const { snapshots = [] } = backup.status ?? {};
  return blockedSnapshots(
    backup,
    snapshots.map(({ kopiaSnapshotID }) => kopiaSnapshotID),
  );
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
