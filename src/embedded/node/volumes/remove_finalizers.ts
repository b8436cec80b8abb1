import type { Writer } from "../../../kube/client.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { removeFinalizer } from "../../../kube/write/finalizers.ts";

/** Lets an object go, as far as these finalizers are concerned, in their order. */
export async function removeFinalizers<T extends KubeObject>(
  writer: Writer,
  { resource, object }: { readonly resource: Resource<T>; readonly object: T },
  finalizers: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  let rest: T | undefined = object;
  for (const finalizer of finalizers) {
    if (rest) rest = await removeFinalizer(writer, { resource, object: rest, finalizer }, { signal });
  }
}
