import { Namespaces } from "../builtin.ts";
import { type KubeObject, keyOf } from "../object.ts";
import { type Cache, type Change, lastSeen } from "./cache.ts";
import type { Informers } from "./informers.ts";

/** The metadata of the namespaces that are looked at. `namespace`: this one alone. */
export function namespaceCache(
  informers: Pick<Informers, "cache">,
  namespace: string | undefined,
): Cache<KubeObject> {
  return informers.cache<KubeObject>({
    resource: Namespaces,
    metadataOnly: true,
    // A ClusterRole can grant it for this name alone: `resourceNames` are compared with such a selector.
    ...(namespace === undefined ? {} : { fieldSelector: `metadata.name=${namespace}` }),
  });
}

/** Whether a namespace is being deleted, and everything in it. */
export function isNamespaceGoing(namespaces: Pick<Cache<KubeObject>, "get">, name = ""): boolean {
  return namespaces.get(keyOf({ name }))?.metadata.deletionTimestamp !== undefined;
}

/** What to watch namespaces for: in one that is deleted, finalizers of objects are in the way. */
export function whenNamespaceGoes(objects: Pick<Cache<KubeObject>, "values">) {
  return {
    when: (change: Change<KubeObject>) => lastSeen(change).metadata.deletionTimestamp !== undefined,
    keys: ({ key }: Change<KubeObject>) =>
      [...objects.values()].filter(({ metadata }) => metadata.namespace === key).map(keyOf),
  };
}
