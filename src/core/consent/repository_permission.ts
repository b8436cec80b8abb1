import type { KubeObject } from "../../kube/object.ts";
import type { Violation } from "../reconcile/violation.ts";
import { isConsented } from "./consents.ts";
import { type AllowedNamespaces, listed, type Tenant } from "./permission.ts";

/** A repository that may be for several namespaces; one without a namespace is for the whole cluster. */
type Shared = KubeObject & { readonly spec: { readonly allowedNamespaces?: AllowedNamespaces } };

export interface RepositoryUser extends Tenant {
  /** The objects on which admission may have noted that their author was allowed to refer to the repository. */
  readonly witnesses: readonly KubeObject[];
  /** Where the reference stands. */
  readonly field: string;
  /** The field of a repository that lists the namespaces which may use it. */
  readonly allowedField: string;
}

export type RepositoryPermission =
  | { readonly granted: true }
  | { readonly granted: false; readonly why: Violation | "unknown" };

/**
 * Whether a namespace may use a repository: its own always, one of the whole cluster where it is listed, one of another
 * namespace where it is listed or a witness has the consent. `unknown` while the namespace has not been read.
 */
export function repositoryPermission(repository: Shared, user: RepositoryUser): RepositoryPermission {
  const { kind, metadata, spec } = repository;
  const { namespace, witnesses, field, allowedField } = user;
  if (metadata.namespace === namespace) return { granted: true };
  const permission = listed(spec.allowedNamespaces, user);
  if (permission === "granted") return { granted: true };
  const reference = { kind, namespace: metadata.namespace ?? "", name: metadata.name };
  const ofCluster = metadata.namespace === undefined;
  if (!ofCluster && witnesses.some((one) => isConsented(one, reference))) return { granted: true };
  if (permission === "unknown") return { granted: false, why: "unknown" };
  const why = ofCluster
    ? sharedForbidden(repository, { from: namespace, field, allowedField })
    : referenceForbidden({ ...reference, field }, { from: namespace, list: `the ${kind}'s ${allowedField}` });
  return { granted: false, why };
}

/**
 * Why a run in the user's namespace may not be lent the Secrets of a repository. Whoever reads Secrets there reads what
 * is lent, so to be let use a repository of another namespace is not enough: it lists the namespace, or an object of
 * that namespace was written by somebody who may get the Secrets anyway. One of the whole cluster is there to be shared.
 */
export function lendingObjection(
  { kind, metadata, spec }: Shared,
  user: RepositoryUser,
): Violation | "unknown" | undefined {
  const { namespace: owner } = metadata;
  const { namespace: from, witnesses, field, allowedField } = user;
  if (owner === undefined || owner === from) return undefined;
  const permission = listed(spec.allowedNamespaces, user);
  if (permission === "granted") return undefined;
  const own = witnesses.filter((one) => one.metadata.namespace === from);
  if (own.some((one) => isConsented(one, { kind: "Secret", namespace: owner }))) return undefined;
  if (permission === "unknown") return "unknown";
  return lendingForbidden({ namespace: owner, from, field, list: `the ${kind}'s ${allowedField}` });
}

/** A reference to an object of a namespace that does not consent to it. `list`: how it would. */
export function referenceForbidden(
  reference: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly field: string;
  },
  { from, list }: { readonly from: string; readonly list: string },
): Violation {
  const { kind, namespace, name, field } = reference;
  return {
    reason: "CrossNamespaceForbidden",
    field,
    forbidden: true,
    what: `${kind} ${namespace}/${name} cannot be used from namespace ${from}`,
    why: `namespace ${from} is not listed there, and whoever wrote the reference may not get it`,
    fix: `Have ${from} added to ${list}, or have someone write this who may get it`,
  };
}

/** Secrets that a run would be lent, of a namespace that does not consent to it. */
export function lendingForbidden({
  namespace,
  from,
  field,
  list,
}: {
  readonly namespace: string;
  readonly from: string;
  readonly field: string;
  readonly list: string;
}): Violation {
  return {
    reason: "LendingForbidden",
    field,
    forbidden: true,
    what: `the Secrets of the repository in namespace ${namespace} cannot be lent to namespace ${from}`,
    why: `namespace ${from} is not listed there, and whoever wrote the reference may not get Secrets of namespace ${namespace}`,
    fix: `Have ${from} added to ${list}, or have someone write this who may get those Secrets`,
  };
}

/** A repository of the whole cluster that is not for this namespace. */
export function sharedForbidden(
  { kind, metadata }: Pick<KubeObject, "kind" | "metadata">,
  { from, field, allowedField }: { readonly from: string } & Pick<RepositoryUser, "field" | "allowedField">,
): Violation {
  return {
    reason: "NamespaceNotAllowed",
    field,
    forbidden: true,
    what: `${kind} ${metadata.name} cannot be used from namespace ${from}`,
    why: `its ${allowedField} do not include that namespace`,
    fix: `Have ${from} added to its ${allowedField}, or use another repository`,
  };
}
