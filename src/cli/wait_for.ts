import { ApiError } from "../kube/api_error.ts";
import type { Reader } from "../kube/client.ts";
import type { KubeObject, ObjectName } from "../kube/object.ts";
import { type Resource, resourceName } from "../kube/resource.ts";
import { type Clock, sleep } from "../lib/clock.ts";

export interface WaitOptions {
  readonly client: Reader;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly timeout: number;
}

const EVERY_MS = 100;

/** Looks until `done` is true of the object, which `look` sees each time; undefined stands for one that is not there. */
export async function waitFor<T extends KubeObject>(
  resource: Resource<T>,
  name: ObjectName,
  done: (object: T | undefined) => boolean,
  { client, clock, signal, timeout }: WaitOptions,
): Promise<T | undefined> {
  const end = clock.monotonic() + timeout;
  for (;;) {
    const object = await client.get(resource, name, { signal }).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 404) return undefined;
      throw error;
    });
    if (done(object)) return object;
    if (clock.monotonic() > end)
      throw new Error(`${resourceName(resource)} ${name.name} did not get there within ${timeout / 1000} s`);
    await sleep(clock, EVERY_MS, signal);
  }
}
