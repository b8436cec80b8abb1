import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import {
  type ClusterRepository,
  clusterRepositoryResource,
} from "../../../kinds/kopiur/generated/cluster_repository.ts";
import { repositoryResource } from "../../../kinds/kopiur/generated/repository.ts";
import { type Cache, type Change, lastSeen } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { act } from "../act.ts";
import { groundOf, outlookOf } from "../ground.ts";
import { keepersOf } from "../keepers_of.ts";
import { type Outlook, withEarlier } from "../outlook.ts";
import { controllerPorts, type KopiurPorts } from "../ports.ts";
import { recordsOf } from "../records.ts";
import { type AnyRepository, isOfCluster, repositoryKey } from "../references.ts";
import { listed } from "../rules/permission.ts";
import { termsOf } from "../seat.ts";
import { operatorNamespaceOf } from "../settings.ts";
import type { Ground } from "../task.ts";
import { connectTask } from "./connect_task.ts";
import { contactOf, isContact } from "./contact.ts";
import { decideRepository } from "./decide_repository.ts";
import { withTraffic } from "./traffic.ts";
import { withDeletions } from "./with_deletions.ts";
import { withTenancy } from "./with_tenancy.ts";

/** A repository that does not answer is asked again for as long as it is wanted. */
const FOREVER = { backoffLimit: Number.MAX_SAFE_INTEGER };

/** Connects to repositories, and creates those that are to be created. */
export function repositoryController(ports: KopiurPorts): Controller {
  const { repositories, namespaces } = ports.caches;
  return (
    connecting(ports, "kopiur-repository", { resource: repositoryResource, cache: repositories })
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
  const controller = connecting(ports, "kopiur-clusterrepository", {
    resource: clusterRepositoryResource,
    cache,
  });
  // For how many namespaces it is follows from which there are, and their labels.
  return controller.watch(ports.caches.namespaces, { keys: () => [...cache.values()].map(keyOf) });
}

interface Kind<T extends AnyRepository> {
  readonly resource: Resource<T>;
  readonly cache: Cache<T>;
}

function connecting<T extends AnyRepository>(ports: KopiurPorts, name: string, kind: Kind<T>): Controller {
  const controller = new Controller({
    ...controllerPorts(ports),
    name,
    concurrency: 4,
    reconcile: (key, signal) => reconcile(ports, kind, key, signal),
  })
    .watch(kind.cache)
    .watch(ports.caches.backups, {
      when: concernsDeletion,
      keys: (change) => repositoryOf(change, kind.resource.namespaced),
    });
  ports.tasks.wake(controller, kind.resource);
  ports.pools.keepers(keepersOf(kind.cache, controller));
  ports.pools.grounds({ cache: kind.cache, terms: termsOf, wake: (one) => controller.enqueue(one) });
  return controller;
}

async function reconcile<T extends AnyRepository>(
  ports: KopiurPorts,
  { resource, cache }: Kind<T>,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Outcome> {
  const repository = cache.get(key);
  if (!repository || repository.metadata.deletionTimestamp) return done;
  const namespace = repository.metadata.namespace ?? operatorNamespaceOf(ports.settings);
  const ground = await groundOf(ports, repository, namespace, signal);
  const { status } = repository;
  const now = ports.clock.now();
  const contact = contactOf(repository, now);
  const request = {
    task: connectTask(ground, contact.purpose),
    status,
    policy: FOREVER,
    cancel: contact.outdated,
  };
  const connection = await outlookOf(ports, request, signal);
  const known = decideRepository({ repository, contact, connection, now });
  const decision = isOfCluster(repository)
    ? withTenancy(known, { repository, count: allowedCount(ports, repository), now })
    : known;
  const earlier = Object.keys(recordsOf(status)).filter(
    (purpose) => isContact(purpose) && purpose !== contact.purpose,
  );
  const ended = await endedTasks(ports, ground, earlier, signal);
  const { uid } = repository.metadata;
  const traffic = { repository, evidence: ports.pools.evidence(uid), runs: ports.pools.count(uid), now };
  const deletions = ports.deletionGuard.survey(repository);
  const deleting = ports.deletionGuard.deleting(repository);
  const whole = withDeletions(withTraffic(withEarlier(decision, ended), traffic), {
    repository,
    deletions,
    deleting,
    now,
  });
  return act(ports, { resource, object: repository }, whole, signal);
}

function allowedCount({ caches }: KopiurPorts, { spec }: ClusterRepository): number {
  return [...caches.namespaces.values()].filter(({ metadata }) => {
    const tenant = { namespace: metadata.name, labels: metadata.labels ?? {} };
    return listed(spec.allowedNamespaces, tenant) === "granted";
  }).length;
}

async function endedTasks(
  ports: KopiurPorts,
  ground: Ground,
  purposes: readonly string[],
  signal: AbortSignal,
): Promise<readonly Outlook[]> {
  const { status } = ground.repository;
  const outlooks = await Promise.all(
    purposes.map((purpose) => outlookOf(ports, { task: connectTask(ground, purpose), status }, signal)),
  );
  return outlooks.flatMap((outlook) => (outlook.ok ? [outlook.value] : []));
}

/** A Backup is to be deleted, says something new of it, or is gone. */
function concernsDeletion(change: Change<Backup>): boolean {
  const { metadata } = lastSeen(change);
  return metadata.deletionTimestamp !== undefined;
}

/** The repository that holds a Backup's snapshots, if it is of this scope. */
function repositoryOf(change: Change<Backup>, namespaced: boolean): readonly ObjectKey[] {
  const { metadata, status } = lastSeen(change);
  const ref = status?.resolved?.repository;
  if (!ref || (ref.kind === "Repository") !== namespaced) return [];
  return [repositoryKey(ref, metadata.namespace ?? "")];
}
