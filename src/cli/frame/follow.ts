import { isExpired, isNotFound } from "../../kube/api_error.ts";
import type { Reader } from "../../kube/client.ts";
import type { ObjectName } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { type Clock, sleep } from "../../lib/clock.ts";
import type { NativeObject } from "./kinds.ts";
import { CommandProblem } from "./problem.ts";

export interface FollowOptions<T extends NativeObject> {
  readonly client: Pick<Reader, "get" | "watch">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Sees the object each time that it changes. True ends it. */
  readonly look: (object: T) => boolean;
}

/** Between a watch that ended and the next. */
const PAUSE = 200;

/** Follows one object until it is as wanted. Throws a CommandProblem when somebody deletes it. */
export async function follow<T extends NativeObject>(
  resource: Resource<T>,
  name: ObjectName,
  { client, clock, signal, look }: FollowOptions<T>,
): Promise<T> {
  const gone = () => new CommandProblem(`${resource.kind} ${name.name} was deleted while it was waited for`);
  for (;;) {
    const present = await client.get(resource, name, { signal }).catch((error: unknown) => {
      throw isNotFound(error) ? gone() : error;
    });
    if (look(present)) return present;
    const watch = {
      ...(name.namespace === undefined ? {} : { namespace: name.namespace }),
      fieldSelector: `metadata.name=${name.name}`,
      resourceVersion: present.metadata.resourceVersion,
      signal,
    };
    try {
      for await (const event of client.watch(resource, watch)) {
        if (event.type === "BOOKMARK") continue;
        if (event.type === "DELETED") throw gone();
        if (look(event.object)) return event.object;
      }
    } catch (error) {
      if (!isExpired(error)) throw error;
    }
    await sleep(clock, PAUSE, signal);
  }
}
