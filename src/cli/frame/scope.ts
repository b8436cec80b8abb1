import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Call, Cluster } from "./command.ts";

/** The namespace that a command is about; undefined for all of them. */
export function scopeOf(
  { given }: Pick<Call, "given">,
  cluster: Pick<Cluster, "namespace">,
): string | undefined {
  return given.flag("all-namespaces") ? undefined : namespaceOf({ given }, cluster);
}

/** What a command looks at, for a sentence, and whether that is all namespaces. */
export function placeOf(
  call: Pick<Call, "given">,
  cluster: Pick<Cluster, "namespace">,
): { readonly place: string; readonly all: boolean } {
  const scope = scopeOf(call, cluster);
  return scope === undefined
    ? { place: "all namespaces", all: true }
    : { place: `namespace ${scope}`, all: false };
}

/** The namespace of what is named. */
export function namespaceOf(
  { given }: Pick<Call, "given">,
  { namespace }: Pick<Cluster, "namespace">,
): string {
  return given.text("namespace") ?? namespace;
}

/** All objects of a kind within the scope of a command. */
export async function listed<T extends KubeObject>(call: Call, resource: Resource<T>): Promise<readonly T[]> {
  const cluster = await call.cluster();
  const namespace = resource.namespaced ? scopeOf(call, cluster) : undefined;
  const { items } = await cluster.client.list(resource, {
    signal: call.signal,
    omitManagedFields: true,
    ...(namespace === undefined ? {} : { namespace }),
  });
  return items;
}
