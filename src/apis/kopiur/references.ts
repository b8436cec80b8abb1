import type { Problem } from "../../core/reconcile/problem.ts";
import type { Ready } from "../../core/repository/repository.ts";
import { readyRepository as readyUnder } from "../../core/repository/use_repository.ts";
import {
  type ClusterRepository,
  clusterRepositoryResource,
} from "../../kinds/kopiur/generated/cluster_repository.ts";
import { type Repository, repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import type { ResolvedRepository } from "../../kinds/kopiur/parts.ts";
import { keyOf, type ObjectKey, type ObjectName } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Result } from "../../lib/result.ts";

/** A reference to a repository, as consumers write it. */
export interface RepositoryRef {
  readonly kind: "Repository" | "ClusterRepository";
  readonly name: string;
  readonly namespace?: string;
}

/** A repository of either kind. One of the whole cluster is in no namespace. */
export type AnyRepository = Repository | ClusterRepository;

export function isOfCluster(repository: AnyRepository): repository is ClusterRepository {
  return repository.metadata.namespace === undefined;
}

/** The key of the repository that an object of this namespace refers to: without a namespace, a ClusterRepository's. */
export function repositoryKey(ref: RepositoryRef, namespace: string): ObjectKey {
  const { kind, name, namespace: place = namespace } = ref;
  return keyOf(kind === "ClusterRepository" ? { name } : { namespace: place, name });
}

/** The repository of a key, with its kind, as people know it. */
export function repositoryText(key: ObjectKey): string {
  return `${key.includes("/") ? "Repository" : "ClusterRepository"} ${key}`;
}

/** The resource of the repository of this name. */
export function resourceOfRepository({ namespace }: Partial<ObjectName>): Resource<AnyRepository> {
  const resource = namespace === undefined ? clusterRepositoryResource : repositoryResource;
  return resource as Resource<AnyRepository>;
}

/** A repository that can be used now: its ID is known, and it answered when it was last asked. */
export type ReadyRepository = Ready<AnyRepository>;

/** The repository, if it can be used now; or what it waits for. */
export function readyRepository(
  repository: AnyRepository | undefined,
  key: ObjectKey,
): Result<ReadyRepository, Problem> {
  return readyUnder(repository, repositoryText(key));
}

/** How a status remembers which repository it was, and that it was this very one. */
export function resolvedRepository({ metadata, status }: ReadyRepository): ResolvedRepository {
  const { name, namespace, uid } = metadata;
  return {
    kind: namespace === undefined ? "ClusterRepository" : "Repository",
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid,
    uniqueID: status.uniqueID,
  };
}
