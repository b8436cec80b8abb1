import type { EngineRoom } from "../../core/reconcile/engine_room.ts";
import type { Problem } from "../../core/reconcile/problem.ts";
import { runContext } from "../../core/repository/plan_task.ts";
import { secretsNamespace, sessionRequestOn } from "../../core/repository/session_request.ts";
import type { SessionRequest } from "../../core/work/session/session_request.ts";
import {
  type ClusterRepository,
  clusterRepositoryResource,
} from "../../kinds/kopiur/generated/cluster_repository.ts";
import { type Repository, repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import type { Informers } from "../../kube/cache/informers.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Result } from "../../lib/result.ts";
import type { RepositoryRef } from "./settings.ts";

export type AnyRepository = Repository | ClusterRepository;

/** The one repository that the backups of this API are in. */
export interface ChosenRepository {
  readonly key: ObjectKey;
  readonly cache: Cache<AnyRepository>;
  readonly resource: Resource<AnyRepository>;
}

export function chosenRepository(
  informers: Pick<Informers, "cache">,
  { kind, namespace, name }: RepositoryRef,
): ChosenRepository {
  const resource = (
    kind === "Repository" ? repositoryResource : clusterRepositoryResource
  ) as Resource<AnyRepository>;
  const key = keyOf(kind === "Repository" ? { namespace, name } : { name });
  return { key, resource, cache: informers.cache({ resource }) };
}

/** A repository, with its kind, as people know it. */
export function repositoryText({ kind, name, namespace }: RepositoryRef): string {
  return `${kind} ${namespace ? `${namespace}/` : ""}${name}`;
}

/** What a session with the repository needs; or why there can be none. */
export async function sessionWith(
  room: Pick<EngineRoom, "client" | "settings">,
  repository: AnyRepository,
  { resource, namespaces }: { readonly resource: Resource; readonly namespaces: Cache<KubeObject> },
  signal: AbortSignal,
): Promise<Result<SessionRequest, Problem>> {
  const namespace = secretsNamespace(repository);
  const home = namespaces.get(keyOf({ name: namespace }));
  const image = repository.spec.kopiaImageOverride;
  return sessionRequestOn(await runContext(room, { repository, namespace, home, image }, signal), resource);
}
