import type { Stored, StoreKey } from "../store.ts";

/** A key of the resource that the store's tests use. */
export function sampleKey(name: string, namespace = "default", resource = "configmaps"): StoreKey {
  return { resource, namespace, name };
}

/** An object for that key; `value` tells its versions apart. */
export function sample(key: StoreKey, value: string, labels: Readonly<Record<string, string>> = {}): Stored {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: key.name,
      ...(key.namespace && { namespace: key.namespace }),
      uid: `uid-of-${key.name}`,
      resourceVersion: "",
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels,
    },
    data: { value },
  };
}
