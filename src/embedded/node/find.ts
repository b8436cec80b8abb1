import { isNotFound } from "../../kube/api_error.ts";
import type { Reader } from "../../kube/client.ts";
import type { KubeObject, ObjectName } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";

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
