import type { Repository, RepositoryStatus } from "../../kinds/kopiur/generated/repository.ts";
import { keyOf, type ObjectKey } from "../../kube/object.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { blocked, type Problem, waits } from "./problem.ts";

/** A reference to a repository, as consumers write it. */
export interface RepositoryRef {
  readonly kind: "Repository" | "ClusterRepository";
  readonly name: string;
  readonly namespace?: string;
}

/** The key of the Repository that an object of this namespace refers to; or why it cannot be used. */
export function repositoryKey(ref: RepositoryRef, namespace: string): Result<ObjectKey, Problem> {
  if (ref.kind === "ClusterRepository") {
    return err(
      blocked(
        "ClusterRepositoryUnsupported",
        `ClusterRepository ${ref.name} cannot be used yet. Use a Repository in namespace ${namespace}.`,
      ),
    );
  }
  if (ref.namespace !== undefined && ref.namespace !== namespace) {
    return err(
      blocked(
        "CrossNamespaceUnsupported",
        `Repository ${ref.namespace}/${ref.name} is in another namespace, whose credentials cannot be lent yet. Use a Repository in namespace ${namespace}.`,
      ),
    );
  }
  return ok(keyOf({ namespace, name: ref.name }));
}

/** A repository that can be used now: its ID is known, and it answered when it was last asked. */
export interface ReadyRepository extends Repository {
  readonly status: RepositoryStatus & { readonly uniqueID: string };
}

/** The repository, if it can be used now; or what it waits for. */
export function readyRepository(
  repository: Repository | undefined,
  key: ObjectKey,
): Result<ReadyRepository, Problem> {
  if (!repository || repository.metadata.deletionTimestamp) {
    return err(
      waits("RepositoryNotFound", `Repository ${key} does not exist. Create it, or correct the reference.`),
    );
  }
  const { status } = repository;
  if (status?.phase === "Ready" && status.uniqueID) return ok(repository as ReadyRepository);
  const why = status?.conditions?.find(({ type }) => type === "Ready")?.message;
  return err(waits("RepositoryNotReady", `Repository ${key} is not ready${why ? `: ${why}` : " yet."}`));
}
