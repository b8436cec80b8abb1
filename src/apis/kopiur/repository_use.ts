import { type KubeObject, keyOf, type ObjectKey } from "../../kube/object.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { KopiurCaches } from "./caches.ts";
import type { KopiurPorts } from "./ports.ts";
import { blocked, type Problem, waits } from "./problem.ts";
import {
  type AnyRepository,
  type ReadyRepository,
  type RepositoryRef,
  readyRepository,
  repositoryKey,
  repositoryText,
} from "./references.ts";
import { lendingObjection } from "./rules/lending.ts";
import type { Tenant } from "./rules/permission.ts";
import { repositoryPermission } from "./rules/repository_permission.ts";
import { problemOf } from "./rules/violation.ts";

/** Who wants to use a repository. */
export interface RepositoryConsumer {
  readonly namespace: string;
  /**
   * The objects whose authors may have been allowed to refer to it: the one with the reference. What a status says is
   * no witness.
   */
  readonly witnesses: readonly (KubeObject | undefined)[];
  /** Where the run is, if it is elsewhere: Secrets are lent to it there. */
  readonly runsIn?: string;
  /** The repository's namespace has listed the one that the run is in, on what leads to the repository. */
  readonly vouched?: (repository: AnyRepository) => boolean;
}

/** A repository, as somebody may use it. */
export interface RepositoryUse {
  readonly key: ObjectKey;
  /** As it is, whether or not it may be used: what runs already is looked after. */
  readonly repository: AnyRepository | undefined;
  /** The repository, if it is there and may be used by this consumer. */
  readonly permitted: Result<AnyRepository, Problem>;
  /** The same, if it also answered when it was last asked: work may begin. */
  readonly ready: Result<ReadyRepository, Problem>;
}

/** Looks up the repository that a reference means, and whether it may be used. */
export function useRepository(
  { caches, settings }: Pick<KopiurPorts, "caches" | "settings">,
  ref: RepositoryRef,
  consumer: RepositoryConsumer,
): RepositoryUse {
  const { namespace, runsIn = namespace, vouched = () => false } = consumer;
  const key = repositoryKey(ref, namespace);
  if (ref.kind === "ClusterRepository" && !caches.clusterRepositories) {
    const problem = err(notWatched(key));
    return { key, repository: undefined, permitted: problem, ready: problem };
  }
  const repository = findRepository(caches, key);
  const ready = readyRepository(repository, key);
  if (!repository || repository.metadata.deletionTimestamp) {
    return { key, repository, permitted: ready, ready };
  }
  const witnesses = settings.guarded ? consumer.witnesses.filter((one) => one !== undefined) : [];
  const permission = repositoryPermission(repository, { ...tenantOf(caches, namespace), witnesses });
  const lends = settings.lendSecrets && !vouched(repository);
  const user = { ...tenantOf(caches, runsIn), witnesses };
  const why = permission.granted ? lends && lendingObjection(repository, user) : permission.why;
  if (!why) return { key, repository, permitted: ok(repository), ready };
  const problem = err(
    why === "unknown" ? unread(key, permission.granted ? runsIn : namespace) : problemOf(why),
  );
  return { key, repository, permitted: problem, ready: problem };
}

function tenantOf({ namespaces }: Pick<KopiurCaches, "namespaces">, namespace: string): Tenant {
  const found = namespaces.get(keyOf({ name: namespace }));
  return { namespace, labels: found && (found.metadata.labels ?? {}) };
}

/** The repository of a key. */
export function findRepository(
  { repositories, clusterRepositories }: Pick<KopiurCaches, "repositories" | "clusterRepositories">,
  key: ObjectKey,
): AnyRepository | undefined {
  return key.includes("/") ? repositories.get(key) : clusterRepositories?.get(key);
}

function notWatched(key: ObjectKey): Problem {
  return blocked(
    "ClusterRepositoryUnwatched",
    `${repositoryText(key)} cannot be used: this operator looks at a single namespace. Use a Repository of that namespace, or install the operator for the whole cluster.`,
  );
}

function unread(key: ObjectKey, namespace: string): Problem {
  return waits(
    "NamespaceUnknown",
    `Whether namespace ${namespace} may use ${repositoryText(key)} is not known yet: the namespace's labels have not been read.`,
  );
}
