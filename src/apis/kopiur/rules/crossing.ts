import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { AllowedNamespaces } from "../../../kinds/kopiur/parts.ts";
import type { Violation } from "./violation.ts";

/** The kinds that an object of another namespace may refer to. */
export type CrossedKind = "Repository" | "BackupConfig" | "Backup" | "PersistentVolumeClaim" | "Secret";

/** A reference into another namespace. */
export interface Crossing {
  readonly kind: CrossedKind;
  readonly namespace: string;
  /** Absent for all of the kind there. */
  readonly name?: string;
  /** Where the reference stands. */
  readonly field: string;
  /** Whom the other side lists, where the reference names no object that could be asked. */
  readonly allowed?: AllowedNamespaces | undefined;
  /** The references that need it: what one of them leads to may list the namespace. */
  readonly through?: readonly Crossing[];
}

/** How a reference is written down where its author's right to make it was checked. */
export function crossingToken({
  kind,
  namespace,
  name = "*",
}: Pick<Crossing, "kind" | "namespace" | "name">): string {
  return `${kind}/${namespace}/${name}`;
}

const HOW_TO_LIST: Readonly<Partial<Record<CrossedKind, string>>> = {
  Repository: "the Repository's allowedNamespaces",
  BackupConfig: "the BackupConfig's allowedNamespaces",
  Backup: "the allowedNamespaces of its BackupConfig",
};

/** A selector for claims of a namespace whose owners do not let recipes of this one be run there. */
function reachForbidden({ namespace, field }: Crossing, from: string): Violation {
  return {
    reason: "CrossNamespaceForbidden",
    field,
    forbidden: true,
    what: `recipes of namespace ${from} cannot be run on the claims of namespace ${namespace}`,
    why: `namespace ${namespace} does not list ${from}`,
    fix: `Have ${from} added to the annotation ${ANNOTATIONS.allowedRecipeNamespaces} of namespace ${namespace}, or leave ${namespace} out`,
  };
}

/** A reference into a namespace that does not consent to it. */
export function crossingForbidden(crossing: Crossing, from: string): Violation {
  const { kind, namespace, name, field } = crossing;
  const forbidden = { reason: "CrossNamespaceForbidden", field, forbidden: true };
  const list = HOW_TO_LIST[kind];
  if (kind === "PersistentVolumeClaim") return reachForbidden(crossing, from);
  if (kind === "Secret") return lendingForbidden(namespace, from, field);
  if (name === undefined || list === undefined) {
    return {
      ...forbidden,
      what: `the ${kind}s of namespace ${namespace} cannot be used from namespace ${from}`,
      why: "whoever wrote the reference may not get them",
      fix: `Have someone write this who may get them, or keep to namespace ${from}`,
    };
  }
  return {
    ...forbidden,
    what: `${kind} ${namespace}/${name} cannot be used from namespace ${from}`,
    why: `namespace ${from} is not listed there, and whoever wrote the reference may not get it`,
    fix: `Have ${from} added to ${list}, or have someone write this who may get it`,
  };
}

/** Secrets that a run would be lent, of a namespace that does not consent to it. */
export function lendingForbidden(namespace: string, from: string, field: string): Violation {
  return {
    reason: "LendingForbidden",
    field,
    forbidden: true,
    what: `the Secrets of the repository in namespace ${namespace} cannot be lent to namespace ${from}`,
    why: `namespace ${from} is not listed there, and whoever wrote the reference may not get Secrets of namespace ${namespace}`,
    fix: `Have ${from} added to the Repository's allowedNamespaces, or have someone write this who may get those Secrets`,
  };
}

/** A repository of the whole cluster that is not for this namespace. */
export function clusterRepositoryForbidden(name: string, from: string, field: string): Violation {
  return {
    reason: "NamespaceNotAllowed",
    field,
    forbidden: true,
    what: `ClusterRepository ${name} cannot be used from namespace ${from}`,
    why: "its allowedNamespaces do not include that namespace",
    fix: `Have ${from} added to its allowedNamespaces, or use another repository`,
  };
}
