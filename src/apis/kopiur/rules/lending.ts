import { type AnyRepository, isOfCluster } from "../references.ts";
import { isConsented } from "./consents.ts";
import { lendingForbidden } from "./crossing.ts";
import { listed } from "./permission.ts";
import type { RepositoryUser } from "./repository_permission.ts";
import type { Violation } from "./violation.ts";

/**
 * Why a run in the user's namespace may not be lent the Secrets of a repository. Whoever reads Secrets there reads what
 * is lent, so to be let use a Repository of another namespace is not enough: it lists the namespace, or an object of
 * that namespace was written by somebody who may get the Secrets anyway. A ClusterRepository is there to be shared.
 */
export function lendingObjection(
  repository: AnyRepository,
  user: RepositoryUser,
): Violation | "unknown" | undefined {
  const { namespace: owner = "" } = repository.metadata;
  const { namespace, witnesses } = user;
  if (isOfCluster(repository) || owner === namespace) return undefined;
  const permission = listed(repository.spec.allowedNamespaces, user);
  if (permission === "granted") return undefined;
  const own = witnesses.filter(({ metadata }) => metadata.namespace === namespace);
  if (own.some((one) => isConsented(one, { kind: "Secret", namespace: owner }))) return undefined;
  return permission === "unknown" ? "unknown" : lendingForbidden(owner, namespace, "spec.repository");
}
