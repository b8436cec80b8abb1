import type { KubeObject } from "../../../kube/object.ts";
import { type AnyRepository, isOfCluster } from "../references.ts";
import { isConsented } from "./consents.ts";
import { clusterRepositoryForbidden, crossingForbidden } from "./crossing.ts";
import { listed, type Tenant } from "./permission.ts";
import type { Violation } from "./violation.ts";

export interface RepositoryUser extends Tenant {
  /** The objects on which admission may have noted that their author was allowed to refer to the repository. */
  readonly witnesses: readonly KubeObject[];
}

/**
 * Whether a namespace may use a repository: its own always, a ClusterRepository where it is listed, one of another
 * namespace where it is listed or a witness has the consent. `unknown` while the namespace has not been read.
 */
export function repositoryPermission(
  repository: AnyRepository,
  user: RepositoryUser,
): { readonly granted: true } | { readonly granted: false; readonly why: Violation | "unknown" } {
  const { namespace: owner = "", name } = repository.metadata;
  const { namespace, witnesses } = user;
  if (owner === namespace) return { granted: true };
  const permission = listed(repository.spec.allowedNamespaces, user);
  if (permission === "granted") return { granted: true };
  const crossing = { kind: "Repository", namespace: owner, name, field: FIELD } as const;
  const consented = !isOfCluster(repository) && witnesses.some((one) => isConsented(one, crossing));
  if (consented) return { granted: true };
  if (permission === "unknown") return { granted: false, why: "unknown" };
  const why = isOfCluster(repository)
    ? clusterRepositoryForbidden(name, namespace, FIELD)
    : crossingForbidden(crossing, namespace);
  return { granted: false, why };
}

const FIELD = "spec.repository";
