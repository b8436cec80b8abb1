import { type Job, Pods } from "../../../kube/builtin.ts";
import type { Reader } from "../../../kube/client.ts";
import { Failure } from "../../../kube/failure.ts";
import { keyOf } from "../../../kube/object.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { RunObserver } from "../run_observer.ts";
import { FIRST_ATTEMPT } from "../run_record.ts";
import type { RunTask } from "../run_request.ts";
import { stateOfRun } from "../state_of_run.ts";
import type { Doorbell } from "./doorbell.ts";
import { sessionStart } from "./session_start.ts";

export interface ArrivalOptions {
  readonly reader: Pick<Reader, "get">;
  readonly observer: Pick<RunObserver, "observe">;
  readonly clock: Clock;
  /** Rings when there is news of the run. */
  readonly bell: Doorbell;
  readonly signal: AbortSignal;
}

/** From the Job's start. An image may have to be fetched. */
const PATIENCE = 120_000;
/** How long something that does not go away by itself must stand in the way before it counts. */
const HELD = 10_000;
/** Until it is looked at again, though nothing tells of a change. */
const LOOK_AGAIN = 2_000;

/** The address of a session's pod, once it listens. Rejects with why it will not. */
export async function whenListening(task: RunTask, job: Job, options: ArrivalOptions): Promise<string> {
  const { observer, reader, clock, bell, signal } = options;
  const { namespace, name: id, uid } = job.metadata;
  const begun = clock.monotonic();
  let heldSince: number | undefined;
  for (;;) {
    const runs = await observer.observe(task, { ...FIRST_ATTEMPT, job: uid }, { signal });
    const run = runs.find((one) => one.id === id);
    const start = sessionStart(run ? stateOfRun(run) : { phase: "Absent" });
    if (start.type === "over") throw start.error;
    if (start.type === "listening") {
      const pod = await reader.get(Pods, { namespace, name: start.pod }, { signal });
      const ip = pod.status?.podIP;
      if (ip) return ip;
    }
    const now = clock.monotonic();
    heldSince = start.type === "held" ? (heldSince ?? now) : undefined;
    const late = now - begun >= PATIENCE;
    if (start.type === "held") {
      const stays = start.failure.class !== "transient" && now - (heldSince ?? now) >= HELD;
      if (stays || late) throw start.failure;
    }
    if (late) throw notStarted(keyOf(job));
    await bell.wait(LOOK_AGAIN, signal);
  }
}

function notStarted(job: string): Failure {
  const seconds = PATIENCE / 1000;
  return new Failure(
    "transient",
    "SessionNotStarted",
    `The repository session of Job ${job} does not answer questions ${seconds} s after it was begun. ` +
      "Look whether its node and the repository's storage are slow, and ask again.",
  );
}
