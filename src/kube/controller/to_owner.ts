import type { Change } from "../cache/cache.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../object.ts";
import { apiVersionOf, type Resource } from "../resource.ts";

/** Maps a change of a dependent to the object of this kind that controls it, or did until the change. */
export function toOwner(owner: Resource): (change: Change<KubeObject>) => readonly ObjectKey[] {
  return (change) => {
    const keys = new Set<ObjectKey>();
    if (change.type !== "removed") addOwner(keys, owner, change.object);
    if (change.type !== "added") addOwner(keys, owner, change.previous);
    return [...keys];
  };
}

function addOwner(keys: Set<ObjectKey>, owner: Resource, dependent: KubeObject): void {
  const { namespace, ownerReferences = [] } = dependent.metadata;
  for (const { controller, apiVersion, kind, name } of ownerReferences) {
    // The owner may have been written through another version of its group.
    if (!controller || kind !== owner.kind || groupOf(apiVersion) !== groupOf(apiVersionOf(owner))) continue;
    keys.add(keyOf(owner.namespaced ? { namespace, name } : { name }));
  }
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}
