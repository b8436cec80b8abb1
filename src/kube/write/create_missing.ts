import { isAlreadyExists } from "../api_error.ts";
import type { CallOptions, Writer } from "../client.ts";
import type { Draft, KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";

/** Creates an object, unless there is one of this name: its name tells that it is the same. */
export async function createMissing<T extends KubeObject>(
  client: Pick<Writer, "create">,
  resource: Resource<T>,
  draft: Draft<T>,
  call: CallOptions,
): Promise<void> {
  try {
    await client.create(resource, draft, call);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
