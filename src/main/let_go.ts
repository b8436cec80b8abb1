import { KOPIUR_FINALIZERS } from "../apis/kopiur/kopiur_finalizers.ts";
import { unregisterPopulator } from "../apis/kopiur/restore/populate/register_populator.ts";
import { ANNOTATIONS } from "../kinds/kopiur/annotations.ts";
import { backupResource } from "../kinds/kopiur/generated/backup.ts";
import { GROUP } from "../kinds/kopiur/group.ts";
import { KINDS } from "../kinds/kopiur/kinds.ts";
import { removeWebhooks } from "../kube/admission/webhook_configuration.ts";
import { lookAtWriters } from "../kube/adoption/look_at_adoption.ts";
import { otherWrites, writeText } from "../kube/adoption/other_writers.ts";
import type { Client } from "../kube/client.ts";
import type { LeaderElector } from "../kube/controller/leader.ts";
import { resourceName } from "../kube/resource.ts";
import { annotateAll } from "../kube/write/annotate_all.ts";
import { type ReleaseOptions, releaseAll } from "../kube/write/release_all.ts";
import { type Release, removeCrds, sortCrds } from "../kube/write/remove_crds.ts";
import { type Clock, deadline } from "../lib/clock.ts";
import { unlessAborted } from "../lib/unless_aborted.ts";
import type { Logger } from "../observe/log.ts";
import type { AdoptSettings } from "./operator_settings.ts";

export interface LetGoOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of the operator that goes. */
  readonly leader: LeaderElector;
  readonly webhooks: string;
  /** Only this namespace was looked at. Default: all. */
  readonly namespace?: string | undefined;
  /** The CRDs may be somebody else's, and so may be objects with the same finalizers. */
  readonly adopt?: AdoptSettings | undefined;
  /** Whose CRDs go, and with them every object of these kinds. Default: all stay. */
  readonly crdsOf?: Release | undefined;
  readonly signal: AbortSignal;
}

/** How long the operator's replicas may take to go. */
const PATIENCE = 120_000;

/**
 * What the last one does on the way out: nobody will serve the webhooks, nor take finalizers off. It leads while it
 * does so: an operator that is still there would put them on again, and would take an object that goes with its CRD for
 * one that somebody has deleted. No snapshot is deleted, and no object but those that speak for the operator, unless the
 * CRDs are to go.
 */
export async function letGo(options: LetGoOptions): Promise<void> {
  const { client, log, webhooks, namespace, adopt, crdsOf } = options;
  const unless = adopt && othersWork(adopt);
  await whileLeading(options, async (signal) => {
    // Without a server they would refuse what comes next.
    await removeWebhooks(client, webhooks, { signal });
    for (const held of KOPIUR_FINALIZERS) {
      const scope = { ...(namespace === undefined ? {} : { namespace }), ...(unless ? { unless } : {}) };
      const released = await releaseAll(client, held, { ...scope, signal });
      log.info({ kind: resourceName(held.resource), finalizer: held.finalizer, released }, "let go");
    }
    await removeWebhooks(client, webhooks, { signal });
    if (namespace === undefined) await unregisterPopulator(client, { signal });
    if (!crdsOf) return;
    await takeCrdsAlong(options, crdsOf, signal);
  });
}

/**
 * The CRDs of the release go, and every object with them. No other operator may take that for a wish to delete backups:
 * one of another release is told by each Backup that its snapshots stay, and where somebody else's is at work, so do
 * the CRDs.
 */
async function takeCrdsAlong(
  { client, clock, log, adopt }: LetGoOptions,
  release: Release,
  signal: AbortSignal,
): Promise<void> {
  const call = { signal };
  const resources = KINDS.map(({ resource }) => resource);
  const { going, staying } = await sortCrds(client, resources, release, call);
  if (staying.length > 0) {
    log.warn({ staying, release }, "these CRDs stay, with their objects: they do not belong to the release");
  }
  if (going.length === 0) return;
  const writes = adopt ? await lookAtWriters(client, { kinds: KINDS, ...adopt }, call) : [];
  if (writes.length > 0) {
    throw new Error(`the CRDs stay, with their objects: ${writes.map(writeText).join(" ")}`);
  }
  const removed = going.map(({ name }) => name);
  if (removed.includes(resourceName(backupResource))) await annotateAll(client, SNAPSHOTS_STAY, call);
  await removeCrds({ client, clock, going }, call);
  log.info({ removed }, "the CRDs are removed");
}

const SNAPSHOTS_STAY = { resource: backupResource, name: ANNOTATIONS.skipSnapshotCleanup, value: "true" };

/** Whoever writes the status of an object looks after it, and takes its finalizers off. */
function othersWork({ othersGoneSince }: AdoptSettings): NonNullable<ReleaseOptions["unless"]> {
  return (resource, object) =>
    resource.group === GROUP && otherWrites(resource, object, othersGoneSince).length > 0;
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
