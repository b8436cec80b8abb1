import type { ClusterRepository } from "../../kinds/kopiur/generated/cluster_repository.ts";
import type { Repository, RepositoryStatus } from "../../kinds/kopiur/generated/repository.ts";
import type { ResolvedRepository } from "../../kinds/kopiur/parts.ts";
import { keyOf, type ObjectKey } from "../../kube/object.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { type Problem, waits } from "./problem.ts";

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

/** A repository that can be used now: its ID is known, and it answered when it was last asked. */
export type ReadyRepository = AnyRepository & {
  readonly status: RepositoryStatus & { readonly uniqueID: string };
};

/** The repository, if it can be used now; or what it waits for. */
export function readyRepository(
  repository: AnyRepository | undefined,
  key: ObjectKey,
): Result<ReadyRepository, Problem> {
  const name = repositoryText(key);
  if (!repository || repository.metadata.deletionTimestamp) {
    return err(waits("RepositoryNotFound", `${name} does not exist. Create it, or correct the reference.`));
  }
  const { status } = repository;
  if (status?.phase === "Ready" && status.uniqueID) return ok(repository as ReadyRepository);
  const why = status?.conditions?.find(({ type }) => type === "Ready")?.message;
  return err(waits("RepositoryNotReady", `${name} is not ready${why ? `: ${why}` : " yet."}`));
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
