import { type Clock, sleep } from "../../lib/clock.ts";
import type { Reading, Remains } from "./remains.ts";
import { sameTags } from "./snapshot_record.ts";

/** For so long a backup that was begun ahead waits for all remains to be read: it has a lock. */
const AHEAD_MS = 10_000;

/** The remains that a backup was begun with are others, or not known in time. */
class Unlikely extends Error {}

export interface Runs<T> {
  /** Writes nothing before `sure` resolves, nor when it rejects: then it ends. */
  readonly first: (remains: Remains, sure: Promise<Remains>) => Promise<T>;
  /** Whether it can wait for that once it has begun. */
  readonly canWait: boolean;
  readonly anew: (remains: Remains) => Promise<T>;
}

/**
 * Begins a backup with what its remains are likely to be: restic has to be told of them at its start, and then takes half
 * a second for its key before it does anything, while they are read. Where they turn out to be others it is begun anew,
 * once the first has ended: no two have locks.
 */
export async function runAhead<T>(
  reading: Pick<Reading, "likely" | "all">,
  clock: Clock,
  { first, canWait, anew }: Runs<T>,
): Promise<{ readonly result: T; readonly remains: Remains }> {
  const likely = canWait ? await unlessKnown(reading) : undefined;
  const sure = likely === undefined ? reading.all : confirmed(likely, reading.all, clock);
  // The run is told, and may have ended before.
  sure.catch(() => {});
  try {
    return { result: await first(likely ?? (await sure), sure), remains: await sure };
  } catch (error) {
    if (!(error instanceof Unlikely)) throw error;
    const remains = await reading.all;
    return { result: await anew(remains), remains };
  }
}

/** What is likely, unless all is known by then. */
function unlessKnown({ likely, all }: Pick<Reading, "likely" | "all">): Promise<Remains | undefined> {
  return Promise.race([all.then(() => undefined), likely.then((remains) => remains)]);
}

async function confirmed(likely: Remains, reading: Promise<Remains>, clock: Clock): Promise<Remains> {
  const enough = new AbortController();
  try {
    const late = sleep(clock, AHEAD_MS, enough.signal).then(() => undefined);
    late.catch(() => {});
    const all = await Promise.race([reading, late]);
    if (all !== undefined && sameTags(likely, all)) return all;
    throw new Unlikely();
  } finally {
    enough.abort();
  }
}
