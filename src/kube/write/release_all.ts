import { isConflict, isNotFound } from "../api_error.ts";
import type { CallOptions, Client, SelectOptions } from "../client.ts";
import type { MetadataOnly, ObjectName } from "../object.ts";
import type { Resource } from "../resource.ts";
import { removeFinalizer } from "./finalizers.ts";

/** A finalizer that objects of a kind may have. */
export interface Held {
  readonly resource: Resource;
  readonly finalizer: string;
}

export interface ReleaseOptions extends SelectOptions {
  /** These objects keep it. Default: none does. */
  readonly unless?: (resource: Resource, object: MetadataOnly) => boolean;
}

/** How often an object is tried that others write at the same time. */
const TRIES = 5;

/**
 * Takes a finalizer off every object of a kind, for whoever put it there will not be back. Returns how many had it;
 * none where the cluster has no such kind.
 */
export async function releaseAll(
  client: Client,
  held: Held,
  { unless, ...select }: ReleaseOptions = {},
): Promise<number> {
  const { resource, finalizer } = held;
  const { signal } = select;
  const call = signal ? { signal } : {};
  if (!(await client.serves(resource, call))) return 0;
  let released = 0;
  for await (const page of client.metadata.pages(resource, select)) {
    for (const object of page.items) {
      if (!object.metadata.finalizers?.includes(finalizer) || unless?.(resource, object)) continue;
      await release(client, held, object.metadata, call);
      released += 1;
    }
  }
  return released;
}

async function release(
  client: Client,
  { resource, finalizer }: Held,
  name: ObjectName,
  call: CallOptions,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const object = await client.metadata.get(resource, name, call);
      await removeFinalizer(client, { resource, object, finalizer }, call);
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || tries === TRIES) throw error;
    }
  }
}
