import { KOPIUR_FINALIZERS } from "../apis/kopiur/kopiur_finalizers.ts";
import { unregisterPopulator } from "../apis/kopiur/restore/populate/register_populator.ts";
import { removeWebhooks } from "../kube/admission/webhook_configuration.ts";
import type { Client } from "../kube/client.ts";
import type { LeaderElector } from "../kube/controller/leader.ts";
import { resourceName } from "../kube/resource.ts";
import { releaseAll } from "../kube/write/release_all.ts";
import { type Clock, deadline } from "../lib/clock.ts";
import { unlessAborted } from "../lib/unless_aborted.ts";
import type { Logger } from "../observe/log.ts";

export interface LetGoOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of the operator that goes. */
  readonly leader: LeaderElector;
  readonly webhooks: string;
  /** Only this namespace was looked at. Default: all. */
  readonly namespace?: string | undefined;
  readonly signal: AbortSignal;
}

/** How long the operator's replicas may take to go. */
const PATIENCE = 120_000;

/**
 * What the last one does on the way out: nobody will serve the webhooks, nor take finalizers off. It leads while it
 * does so: an operator that is still there would put them on again. No snapshot is deleted, and no object but those that
 * speak for the operator.
 */
export async function letGo(options: LetGoOptions): Promise<void> {
  const { client, log, webhooks, namespace } = options;
  await whileLeading(options, async (signal) => {
    // Without a server they would refuse what comes next.
    await removeWebhooks(client, webhooks, { signal });
    for (const held of KOPIUR_FINALIZERS) {
      const scope = namespace === undefined ? {} : { namespace };
      const released = await releaseAll(client, held, { ...scope, signal });
      log.info({ kind: resourceName(held.resource), finalizer: held.finalizer, released }, "let go");
    }
    await removeWebhooks(client, webhooks, { signal });
    if (namespace === undefined) await unregisterPopulator(client, { signal });
  });
}

async function whileLeading(
  { leader, clock, signal: parent }: LetGoOptions,
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
    stop.abort(new Error("all is let go"));
    await leading;
  }
}
