import { isForbidden, isNotFound, isNotServed } from "../../../kube/api_error.ts";
import type { CallOptions, ListOptions, Reader } from "../../../kube/client.ts";
import type { KubeObject, ObjectName } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { HIDDEN, type Hidden } from "./observed_staging.ts";

/** The object; undefined where there is none, or no such kind. */
export async function look<T extends KubeObject>(
  reader: Pick<Reader, "get">,
  resource: Resource<T>,
  name: ObjectName,
  call: CallOptions,
): Promise<T | undefined> {
  try {
    return await reader.get(resource, name, call);
  } catch (error) {
    if (isNotFound(error) || isNotServed(error)) return undefined;
    throw error;
  }
}

/** Like `look`, for what we may not be allowed to see. */
export async function glance<T extends KubeObject>(
  reader: Pick<Reader, "get">,
  resource: Resource<T>,
  name: ObjectName,
  call: CallOptions,
): Promise<T | Hidden | undefined> {
  return hidden(look(reader, resource, name, call));
}

/** All objects of a kind, that we may not be allowed to see. */
export async function glanceAll<T extends KubeObject>(
  reader: Pick<Reader, "list">,
  resource: Resource<T>,
  options: ListOptions,
): Promise<readonly T[] | Hidden> {
  return hidden(reader.list(resource, options).then(({ items }) => items));
}

async function hidden<T>(answer: Promise<T>): Promise<T | Hidden> {
  try {
    return await answer;
  } catch (error) {
    if (isForbidden(error)) return HIDDEN;
    throw error;
  }
}
