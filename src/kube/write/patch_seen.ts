import { isConflict, isNotFound } from "../api_error.ts";
import type { CallOptions, Writer } from "../client.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";

/** Changes the metadata of the very object that was looked at. What has changed or gone since is looked at again. */
export async function patchSeen<T extends KubeObject>(
  client: Pick<Writer, "patch">,
  resource: Resource<T>,
  { metadata }: Pick<KubeObject, "metadata">,
  change: object,
  call: CallOptions,
): Promise<void> {
  const patch = { metadata: { uid: metadata.uid, ...change } } as never;
  await client.patch(resource, metadata, { type: "merge", patch }, call).catch(unlessChanged);
}

/** Passes over that an object has changed or gone since it was looked at. */
export function unlessChanged(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}
