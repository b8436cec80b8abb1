import { isConflict } from "../../../kube/api_error.ts";
import type { Client } from "../../../kube/client.ts";
import { keyOf } from "../../../kube/object.ts";
import type { Runnable } from "../../../kube/runnable.ts";
import { type Clock, sleep } from "../../../lib/clock.ts";
import { messageOf } from "../../../lib/result.ts";
import type { Logger } from "../../../observe/log.ts";
import { carryOutStaging } from "./carry_out_staging.ts";
import { type Leftover, leftovers, type OwnerTruth, stagedOwners } from "./leftovers.ts";
import { observeLeftovers } from "./observe_leftovers.ts";
import type { MarkedOwner } from "./staged_marks.ts";

export interface LeftoverSweepOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether an owner is gone: it must be certain. */
  readonly truthOf: (owner: MarkedOwner, signal: AbortSignal) => Promise<OwnerTruth>;
  /** Default: all. */
  readonly namespace?: string | undefined;
}

/** How often it is looked for what owners have left, in milliseconds. */
export const SWEEP_INTERVAL = 3_600_000;
/** What is removed goes in steps: the next look comes this soon, and later ones after twice as long each time. */
const SWEEP_AGAIN = 5_000;

/**
 * Removes what was staged for owners that are gone: at the start, and once an hour. Usually nothing is found, as owners
 * clean up after themselves and the garbage collector does the rest; it is for what neither could reach.
 */
export function leftoverSweep(options: LeftoverSweepOptions): Runnable {
  const { clock, log } = options;
  return {
    name: "staging-leftovers",
    async run(signal, ready) {
      ready();
      for (let busy = 0; !signal.aborted; ) {
        const done = await sweep(options, signal).catch((error: unknown) => {
          if (!signal.aborted) log.warn({ error: messageOf(error) }, "leftovers could not be looked for");
          return false;
        });
        const wait = done ? SWEEP_INTERVAL : Math.min(SWEEP_INTERVAL, SWEEP_AGAIN * 2 ** busy);
        busy = done ? 0 : busy + 1;
        await sleep(clock, wait, signal).catch(() => {});
      }
    },
  };
}

/** True when nothing was found. */
async function sweep(options: LeftoverSweepOptions, signal: AbortSignal): Promise<boolean> {
  const { client, namespace, truthOf } = options;
  const staged = await observeLeftovers(client, {
    signal,
    ...(namespace === undefined ? {} : { namespace }),
  });
  const truths = new Map<string, OwnerTruth>();
  for (const owner of stagedOwners(staged)) truths.set(owner.uid, await truthOf(owner, signal));
  const found = leftovers(staged, ({ uid }) => truths.get(uid) ?? "unknown");
  for (const leftover of found) await remove(options, leftover, signal);
  return found.length === 0;
}

async function remove(
  { client, log }: LeftoverSweepOptions,
  { owner, cleanUp }: Leftover,
  signal: AbortSignal,
): Promise<void> {
  const about = { owner: `${owner.kind} ${keyOf(owner)}` };
  log.info({ ...about, steps: cleanUp.intents.length }, "removing what was staged for an owner that is gone");
  for (const warning of cleanUp.unseen) log.warn(about, warning);
  try {
    await carryOutStaging(client, cleanUp.intents, { signal });
  } catch (error) {
    // What has changed meanwhile is looked at again.
    if (!isConflict(error)) throw error;
  }
}
