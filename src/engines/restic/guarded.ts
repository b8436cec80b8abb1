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
 * right repository, and whether anything else speaks against the work. If so, it ends before it has begun, and the reason
 * is thrown.
 */
export async function guarded<T>(guard: Guard, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal } = guard;
  const wrong = new AbortController();
  const over = new AbortController();
  const checked = decided(guard, over.signal, wrong);
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
 * Opens the gate, or rejects with what is in the way of that. In the wrong repository restic is told to end. In the right
 * one it is left to end by itself, at the gate: told to end, it may leave a lock in a storage to which it was just sending it.
 * `over`: the work has ended.
 */
async function decided(guard: Guard, over: AbortSignal, wrong: AbortController): Promise<void> {
  const { gate } = guard;
  const doubt = new AbortController();
  const inDoubt = (error: unknown): never => {
    doubt.abort();
    throw error;
  };
  const toEnd = (error: unknown): never => {
    wrong.abort(error);
    throw error;
  };
  try {
    await Promise.all([
      identified(guard, over, doubt.signal).catch(toEnd),
      assured(guard, over).catch(inDoubt),
    ]);
    await Promise.try(() => gate.open()).catch(toEnd);
  } catch (error) {
    gate.refuse();
    throw error;
  }
}

/**
 * Rejects when it is not the right repository. `over`: the work shows nothing more. `doubt`: nobody needs to know any more.
 */
async function identified(
  { identification, shown, clock }: Guard,
  over: AbortSignal,
  doubt: AbortSignal,
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
    if (doubt.aborted) return;
  }
  await identification.found();
}

/** Resolves also once the work is over: then nobody needs to know any more. */
async function assured({ sure }: Guard, over: AbortSignal): Promise<void> {
  await unlessAborted(Promise.resolve(sure), over).catch((error) => {
    if (!over.aborted) throw error;
  });
}
