import { type Clock, sleep } from "../../lib/clock.ts";
import type { Identification } from "../identification.ts";
import type { Gate } from "./gate.ts";

export interface Guard {
  readonly gate: Pick<Gate, "open">;
  readonly identification: Identification;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** By then restic has heard that it is to end. */
const HEARD_MS = 200;

/**
 * Runs restic, which waits at the gate before it writes more than its lock, and finds out meanwhile whether it is the
 * right repository. If not, the work is ended before it has begun, and the reason is thrown.
 */
export async function guarded<T>(
  { gate, identification, clock, signal }: Guard,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const wrong = new AbortController();
  const over = new AbortController();
  const checked = identification.found().then(
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
