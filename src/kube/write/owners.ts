import { type KubeObject, keyOf, type OwnerReference } from "../object.ts";
import { apiVersionOf, type Resource } from "../resource.ts";

/** The garbage collector would take the dependent for ownerless, and delete it. */
export class OwnerOutOfReach extends Error {
  override name = "OwnerOutOfReach";
}

export interface Ownership<T extends KubeObject> {
  readonly owner: { readonly resource: Resource<T>; readonly object: T };
  /** What is owned: its kind, and its namespace where the kind has one. */
  readonly dependent: { readonly resource: Resource; readonly namespace?: string | undefined };
  /** The owner is the one that manages the dependent; an object has at most one such. Default true. */
  readonly controller?: boolean;
  /** A foreground deletion of the owner waits for the dependent. Default true. */
  readonly blockOwnerDeletion?: boolean;
}

/**
 * The entry for the dependent's `ownerReferences`. Throws OwnerOutOfReach unless the owner has no namespace, or
 * the dependent is in the same one.
 */
export function ownerReference<T extends KubeObject>(ownership: Ownership<T>): OwnerReference {
  const { owner, dependent, controller = true, blockOwnerDeletion = true } = ownership;
  const { name, uid, namespace } = owner.object.metadata;
  if (owner.resource.namespaced && !(dependent.resource.namespaced && dependent.namespace === namespace)) {
    const place = dependent.resource.namespaced
      ? `in namespace ${dependent.namespace ?? "(none)"}`
      : "without a namespace";
    throw new OwnerOutOfReach(
      `${owner.resource.kind} ${keyOf(owner.object)} cannot own a ${dependent.resource.kind} ${place}: ` +
        "an owner is in the namespace of what it owns, or has none. Use a label instead",
    );
  }
  return {
    apiVersion: apiVersionOf(owner.resource),
    kind: owner.resource.kind,
    name,
    uid,
    controller,
    blockOwnerDeletion,
  };
}
