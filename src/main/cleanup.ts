import type { LeaderElector } from "../kube/controller/leader.ts";
import { deadline } from "../lib/clock.ts";
import { unlessAborted } from "../lib/unless_aborted.ts";
import { APIS } from "./apis.ts";
import { type Cleanup, cleanUpApi } from "./clean_up_api.ts";

export interface CleanupOptions extends Cleanup {
  /** Of the operator that goes. */
  readonly leader: LeaderElector;
  readonly signal: AbortSignal;
}

/** How long the operator's replicas may take to go. */
const PATIENCE = 120_000;

/**
 * What the last one does on the way out. It leads while it does so: an operator that is still there would put webhooks
 * and finalizers on again, and would take an object that goes with its CRD for one that somebody has deleted.
 */
export async function cleanUp(options: CleanupOptions): Promise<void> {
  await whileLeading(options, async (signal) => {
    for (const api of APIS) await cleanUpApi(api, options, { signal });
  });
}

async function whileLeading(
  { leader, clock, signal: parent }: CleanupOptions,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, parent]);
  const ready = Promise.withResolvers<void>();
  const leading = leader.run(signal, ready.resolve);
  try {
    {
      using patience = deadline(clock, PATIENCE, "waiting for the operator to go", parent);
      await unlessAborted(Promise.race([ready.promise, leading]), patience.signal);
    }
    await Promise.race([work(signal), leading]);
    parent.throwIfAborted();
  } finally {
    stop.abort(new Error("all is cleaned up"));
    await leading;
  }
}
