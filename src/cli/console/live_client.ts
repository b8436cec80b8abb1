import type { Client, ListOptions, MetadataReader } from "../../kube/client.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { LiveObjects } from "./live_objects.ts";

/** The same client, whose lists of whole kinds are those that are kept up to date. */
export function liveClient(client: Client, live: LiveObjects): Client {
  const metadata: MetadataReader = {
    get: (resource, name, options) => client.metadata.get(resource, name, options),
    pages: (resource, options) => client.metadata.pages(resource, options),
    watch: (resource, options) => client.metadata.watch(resource, options),
    list: async (resource, options = {}) =>
      isWhole(options)
        ? listOf(await live.list(resource, options.namespace, { ...signalOf(options), metadataOnly: true }))
        : client.metadata.list(resource, options),
  };
  return {
    metadata,
    get: (resource, name, options) => client.get(resource, name, options),
    pages: (resource, options) => client.pages(resource, options),
    watch: (resource, options) => client.watch(resource, options),
    serves: (resource, options) => client.serves(resource, options),
    list: async (resource, options = {}) =>
      isWhole(options)
        ? listOf(await live.list(resource, options.namespace, signalOf(options)))
        : client.list(resource, options),
    create: (resource, object, options) => client.create(resource, object, options),
    update: (resource, object, options) => client.update(resource, object, options),
    patch: (resource, name, patch, options) => client.patch(resource, name, patch, options),
    apply: (resource, object, options) => client.apply(resource, object, options),
    delete: (resource, name, options) => client.delete(resource, name, options),
    deleteCollection: (resource, options) => client.deleteCollection(resource, options),
    getScale: (resource, name, options) => client.getScale(resource, name, options),
    setScale: (resource, name, replicas, options) => client.setScale(resource, name, replicas, options),
  };
}

function isWhole({
  labelSelector,
  fieldSelector,
  limit,
  continue: more,
  keep,
  resourceVersion,
}: ListOptions) {
  return [labelSelector, fieldSelector, limit, more, keep, resourceVersion].every(
    (narrower) => narrower === undefined,
  );
}

function signalOf({ signal }: ListOptions): { readonly signal?: AbortSignal } {
  return signal ? { signal } : {};
}

function listOf<T extends KubeObject>(items: readonly T[]) {
  return { items, metadata: { resourceVersion: "" } };
}
