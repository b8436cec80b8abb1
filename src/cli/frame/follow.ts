import { namedText, type ShownObject } from "../../core/view/shown_object.ts";
import { ApiError, isExpired, isNotFound } from "../../kube/api_error.ts";
import type { Reader } from "../../kube/client.ts";
import type { ObjectName } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { type Clock, DeadlineExceeded, sleep } from "../../lib/clock.ts";
import { HttpFailure } from "../../lib/http.ts";
import { messageOf } from "../../lib/result.ts";
import { EXIT } from "./exit_codes.ts";
import { CommandProblem } from "./problem.ts";

export interface FollowOptions<T extends ShownObject> {
  readonly client: Pick<Reader, "get" | "watch">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Sees the object each time that it changes. True ends it. */
  readonly look: (object: T) => boolean;
}

/** Between a watch that ended and the next. */
const PAUSE = 200;
/** Before the next look where the API server did not answer, in milliseconds. */
const PAUSE_AFTER_FAILURE = 2_000;
/** An API server that answers nothing for so long is not only starting anew. */
const PATIENCE = 300_000;

/**
 * Follows one object until it is as wanted, also past times in which the API server does not answer: what was begun goes
 * on meanwhile. Throws a CommandProblem when somebody deletes it, when there is no answer for long, or when somebody
 * stops looking.
 */
export async function follow<T extends ShownObject>(
  resource: Resource<T>,
  name: ObjectName,
  options: FollowOptions<T>,
): Promise<T> {
  try {
    return await untilWanted(resource, name, options);
  } catch (error) {
    if (options.signal.aborted && !(error instanceof CommandProblem))
      throw interrupted(resource, name, error);
    throw error;
  }
}

async function untilWanted<T extends ShownObject>(
  resource: Resource<T>,
  name: ObjectName,
  { client, clock, signal, look }: FollowOptions<T>,
): Promise<T> {
  let silentSince: number | undefined;
  const gone = () => new CommandProblem(`${resource.kind} ${name.name} was deleted while it was waited for`);
  const seen = (object: T): boolean => {
    silentSince = undefined;
    return look(object);
  };
  for (;;) {
    try {
      const present = await client.get(resource, name, { signal });
      if (seen(present)) return present;
      const watch = {
        ...(name.namespace === undefined ? {} : { namespace: name.namespace }),
        fieldSelector: `metadata.name=${name.name}`,
        resourceVersion: present.metadata.resourceVersion,
        signal,
      };
      for await (const event of client.watch(resource, watch)) {
        silentSince = undefined;
        if (event.type === "BOOKMARK") continue;
        if (event.type === "DELETED") throw gone();
        if (seen(event.object)) return event.object;
      }
      await sleep(clock, PAUSE, signal);
    } catch (error) {
      if (isNotFound(error)) throw gone();
      if (signal.aborted || !passes(error)) throw error;
      silentSince ??= clock.monotonic();
      if (clock.monotonic() - silentSince > PATIENCE) throw unanswered(resource, name, error);
      await sleep(clock, isExpired(error) ? PAUSE : PAUSE_AFTER_FAILURE, signal);
    }
  }
}

/** Whether the next look may well be answered: the connection broke, or the server is not up, or busy. */
function passes(error: unknown): boolean {
  if (error instanceof ApiError) return isExpired(error) || error.code === 429 || error.code >= 500;
  return error instanceof HttpFailure || error instanceof DeadlineExceeded;
}

/** Whoever stops looking has not stopped the work. */
function interrupted(resource: Resource<ShownObject>, name: ObjectName, cause: unknown): CommandProblem {
  const word = wordOf(resource, name);
  return new CommandProblem(`you stopped following ${resource.kind} ${name.name}`, {
    why: "The operator goes on with it in the cluster.",
    fix: `Follow it with: holdfast logs -f ${word}. Cancel it with: holdfast cancel ${word}`,
    code: EXIT.interrupted,
    cause,
  });
}

function wordOf({ kind }: Resource<ShownObject>, { namespace, name }: ObjectName): string {
  return namedText({ kind, metadata: namespace === undefined ? { name } : { namespace, name } });
}

function unanswered(resource: Resource<ShownObject>, name: ObjectName, error: unknown) {
  const word = wordOf(resource, name);
  return new CommandProblem("the API server does not answer any more", {
    why: messageOf(error),
    fix: `It goes on in the cluster: holdfast explain ${word} tells how it stands, once the API server answers.`,
    code: EXIT.unreachable,
    cause: error,
  });
}
