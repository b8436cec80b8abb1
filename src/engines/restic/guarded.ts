import { type Clock, sleep } from "../../lib/clock.ts";
import { unlessAborted } from "../../lib/unless_aborted.ts";
import type { Identification } from "../identification.ts";
import type { Gate } from "./gate.ts";

export interface Guard {
  readonly gate: Pick<Gate, "open" | "refuse">;
  readonly identification: Identification;
  /** Resolves when the work itself shows that it is the right repository. Default: that is asked for. */
  readonly shown?: Promise<void> | undefined;
  /** Resolves when nothing else speaks against the work, and rejects when something does. Default: nothing could. */
  readonly sure?: Promise<unknown> | undefined;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** What has not shown itself by then is asked for. */
const SHOWN_MS = 10_000;

/**
 * Runs restic, which waits at the gate before it writes more than its lock, and finds out meanwhile whether it is the
 * right repository. If not, the work is ended before it has begun, and the reason is thrown.
 */
export async function guarded<T>(guard: Guard, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { gate, signal } = guard;
  const wrong = new AbortController();
  const over = new AbortController();
  const checked = Promise.all([
    identified(guard, over.signal, wrong.signal),
    assured(guard, over.signal),
  ]).then(
    () => gate.open(),
    (error) => {
      wrong.abort(error);
      gate.refuse();
      throw error;
    },
  );
  checked.catch(() => {});
  try {
    return await work(AbortSignal.any(signal ? [signal, wrong.signal] : [wrong.signal]));
  } catch (error) {
    over.abort();
    await checked;
    throw error;
  }
}

/**
 * Rejects when it is not the right repository. `over`: the work has ended, and shows nothing more. `wrong`: something else
 * speaks against it.
 */
async function identified(
  { identification, shown, clock }: Guard,
  over: AbortSignal,
  wrong: AbortSignal,
): Promise<void> {
  if (shown) {
    const enough = new AbortController();
    const waited = sleep(clock, SHOWN_MS, AbortSignal.any([over, enough.signal]));
    const isShown = await Promise.race([
      shown.then(() => true),
      waited.then(
        () => false,
        () => false,
      ),
    ]);
    enough.abort();
    if (isShown) return identification.prove();
    if (wrong.aborted) return;
  }
  await identification.found();
}

/** Resolves also once the work is over: then nobody needs to know any more. */
async function assured({ sure }: Guard, over: AbortSignal): Promise<void> {
  await unlessAborted(Promise.resolve(sure), over).catch((error) => {
    if (!over.aborted) throw error;
  });
}
