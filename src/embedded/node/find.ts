import { isNotFound } from "../../kube/api_error.ts";
import type { Reader, Writer } from "../../kube/client.ts";
import type { KubeObject, ObjectName } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { removeFinalizer } from "../../kube/write/finalizers.ts";

/** The object as it is now, undefined when there is none. What is deleted or created by it must not be a memory. */
export async function find<T extends KubeObject>(
  reader: Pick<Reader, "get">,
  resource: Resource<T>,
  name: ObjectName,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await reader.get(resource, name, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

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
