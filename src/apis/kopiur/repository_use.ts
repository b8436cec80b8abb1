import { lendingObjection, repositoryPermission } from "../../core/consent/repository_permission.ts";
import { blocked, type Problem } from "../../core/reconcile/problem.ts";
import {
  type RepositoryConsumer,
  type RepositoryDirectory,
  type RepositoryUse as UseOf,
  useRepository as useOf,
} from "../../core/repository/use_repository.ts";
import { keyOf, type ObjectKey } from "../../kube/object.ts";
import { ALLOWED_FIELD } from "./admission/consent_rules.ts";
import type { KopiurCaches } from "./caches.ts";
import type { KopiurPorts } from "./ports.ts";
import { type AnyRepository, type RepositoryRef, repositoryKey, repositoryText } from "./references.ts";

/** A repository of this API, as somebody may use it. */
export type RepositoryUse = UseOf<AnyRepository>;

/** Looks up the repository that a reference means, and whether it may be used. */
export function useRepository(
  { caches, settings }: Pick<KopiurPorts, "caches" | "settings">,
  ref: RepositoryRef,
  consumer: RepositoryConsumer<AnyRepository>,
): RepositoryUse {
  return useOf(directoryOf(caches), settings, ref, consumer);
}

const FIELDS = { field: "spec.repository", allowedField: ALLOWED_FIELD };

/** The repositories of this API. */
function directoryOf(caches: KopiurCaches): RepositoryDirectory<RepositoryRef, AnyRepository> {
  const unseen = (kind: string) => kind === "ClusterRepository" && !caches.clusterRepositories;
  return {
    key: repositoryKey,
    text: repositoryText,
    find: (key) => findRepository(caches, key),
    unwatched: ({ kind, name }) => (unseen(kind) ? notWatched(keyOf({ name })) : undefined),
    namespace: (name) => caches.namespaces.get(keyOf({ name })),
    objection: (repository, user) => {
      const permission = repositoryPermission(repository, { ...user, ...FIELDS });
      return permission.granted ? undefined : permission.why;
    },
    lendingObjection: (repository, user) => lendingObjection(repository, { ...user, ...FIELDS }),
  };
}

/** The repository of a key. */
export function findRepository(
  { repositories, clusterRepositories }: Pick<KopiurCaches, "repositories" | "clusterRepositories">,
  key: ObjectKey,
): AnyRepository | undefined {
  return key.includes("/") ? repositories.get(key) : clusterRepositories?.get(key);
}

/** The repositories of both kinds. */
export function allRepositories({
  repositories,
  clusterRepositories,
}: Pick<KopiurCaches, "repositories" | "clusterRepositories">): readonly AnyRepository[] {
  return [...repositories.values(), ...(clusterRepositories?.values() ?? [])];
}

function notWatched(key: ObjectKey): Problem {
  return blocked(
    "ClusterRepositoryUnwatched",
    `${repositoryText(key)} cannot be used: this operator looks at a single namespace. Use a Repository of that namespace, or install the operator for the whole cluster.`,
  );
}
