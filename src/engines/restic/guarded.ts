import { type Clock, sleep } from "../../lib/clock.ts";
import type { Identification } from "../identification.ts";
import type { Gate } from "./gate.ts";

export interface Guard {
  readonly gate: Pick<Gate, "open">;
  readonly identification: Identification;
  /** Resolves when the work itself shows that it is the right repository. Default: that is asked for. */
  readonly shown?: Promise<void> | undefined;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** By then restic has heard that it is to end. */
const HEARD_MS = 200;
/** What has not shown itself by then is asked for. */
const SHOWN_MS = 10_000;

/**
 * Runs restic, which waits at the gate before it writes more than its lock, and finds out meanwhile whether it is the
 * right repository. If not, the work is ended before it has begun, and the reason is thrown.
 */
export async function guarded<T>(guard: Guard, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { gate, clock, signal } = guard;
  const wrong = new AbortController();
  const over = new AbortController();
  const checked = identified(guard, over.signal).then(
    () => gate.open(),
    async (error) => {
      wrong.abort(error);
      await sleep(clock, HEARD_MS, over.signal).catch(() => {});
      gate.open();
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

/** Rejects when it is not the right repository. `over`: the work has ended, and shows nothing more. */
async function identified({ identification, shown, clock }: Guard, over: AbortSignal): Promise<void> {
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
  }
  await identification.found();
}
