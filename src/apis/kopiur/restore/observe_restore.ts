import { type Claim, isMadeFor } from "../../../core/volumes/claim_request.ts";
import { isPrime, primeRunLabels } from "../../../core/volumes/populator/population_marks.ts";
import { look } from "../../../core/volumes/staging/look.ts";
import type { UseDecision } from "../../../core/workloads/scaling/decide_use.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import { keyOf } from "../../../kube/object.ts";
import type { Outlook } from "../outlook.ts";
import type { KopiurPorts } from "../ports.ts";
import { recordOf } from "../records.ts";
import { isLost } from "./lost_volume.ts";
import { observePrimeUse, observeThrough } from "./observe_through.ts";
import { observeUse } from "./observe_use.ts";
import type { ObservedRestore } from "./observed_restore.ts";
import { onRepository } from "./on_repository.ts";
import { type Pinned, resolveSource, type Sources, targetName } from "./resolution.ts";
import { sourceObjects } from "./restore_sources.ts";
import { hasFailed, hasGivenUp, isWriting } from "./restore_stage.ts";
import { askPurpose, askTask, RESTORE, type RestoreGround, restoreTask } from "./restore_tasks.ts";
import { observeScaled } from "./scaled_workloads.ts";

/** Looks at a Restore with a target, its source, its target and its runs. */
export async function observeRestore(
  ports: KopiurPorts,
  restore: Restore,
  signal: AbortSignal,
): Promise<ObservedRestore> {
  const sources: Sources = {
    ...sourceObjects(ports, restore),
    pinned: restore.status?.resolved,
    target: targetName(restore),
    now: ports.clock.now(),
  };
  const resolution = resolveSource(sources);
  const claim = await targetClaim(ports, restore, signal);
  const { seen: scaled, hidden } = await observeScaled(ports.client, restore, signal);
  const base = { ...sources, claim, resolution, scaled, hidden };
  // Who has given up needs no seat.
  if (!resolution.ok || hasGivenUp(restore)) return base;
  if (resolution.value.type === "Ask") {
    const { repository, identity } = resolution.value;
    const place = { purpose: askPurpose(restore, resolution.value) };
    const run = {
      repository,
      memory: restore.status,
      make: (ground: RestoreGround) => askTask(ground, place, identity),
    };
    return { ...base, asking: await onRepository(ports, sources, run, signal) };
  }
  const { pinned } = resolution.value;
  if (pinned.noSnapshot) return base;
  // Whatever became of its claims, what is left of the run is tidied up.
  if (hasFailed(restore, recordOf(restore.status, RESTORE)))
    return { ...base, run: await dataRun(ports, sources, { pinned }, signal) };
  const through = await observeThrough(ports, restore, claim, signal);
  if (isLost({ restore, claim, through })) {
    const run = await dataRun(ports, sources, { pinned }, signal);
    return { ...base, ...(through ? { through } : {}), run };
  }
  // Somebody else's claim of the target's name does not stop what is written into the prime claim.
  if (!through?.prime && !mayWrite(restore, claim)) return base;
  if (through) {
    const { prime } = through;
    if (!prime) return { ...base, through };
    const use = await observePrimeUse(ports, restore, prime, signal);
    return {
      ...base,
      through,
      use,
      run: await dataRun(ports, sources, { pinned, into: prime, use }, signal),
    };
  }
  const use = await observeUse(ports, restore, claim, signal);
  const seen = { ...base, ...(use ? { use } : {}) };
  return claim ? { ...seen, run: await dataRun(ports, sources, { pinned, into: claim, use }, signal) } : seen;
}

/**
 * Of an existing claim everything matters, of a new one only whose it is. One that is written is not taken for gone by
 * what the cache has not heard of yet.
 */
async function targetClaim(
  { caches, client }: KopiurPorts,
  restore: Restore,
  signal: AbortSignal,
): Promise<Claim | undefined> {
  const { namespace } = restore.metadata;
  const { pvc, pvcRef } = restore.spec.target ?? {};
  const name = (pvc ?? pvcRef)?.name;
  if (name === undefined) return undefined;
  if (pvc && !isWriting(restore)) return caches.claims.get(keyOf({ namespace, name }));
  return look(client, PersistentVolumeClaims, { namespace, name }, { signal });
}

/** Nothing is written into a volume that was neither made for this nor named by somebody; a new claim is still to come. */
function mayWrite({ metadata, spec }: Restore, claim: Claim | undefined): boolean {
  if (spec.target?.pvcRef) return claim !== undefined;
  return claim === undefined || isMadeFor(claim, metadata.uid);
}

interface Written {
  readonly pinned: Pinned;
  /** Default: what it writes into is lost or not needed any more, and it is to end. */
  readonly into?: Claim;
  readonly use?: UseDecision | undefined;
}

function dataRun(ports: KopiurPorts, sources: Sources, { pinned, into, use }: Written, signal: AbortSignal) {
  const { restore } = sources;
  const { repository } = pinned;
  if (!repository) return undefined;
  const ours = restore.spec.target?.pvc !== undefined;
  const unseen = ours && !into?.spec?.volumeName;
  const prime = into !== undefined && isPrime(into);
  const labels = prime ? { labels: primeRunLabels(into) } : {};
  const claim = into?.metadata.name ?? targetName(restore) ?? "";
  const place = { purpose: RESTORE, claim, ours, prime, unseen, ...labels };
  // A run that has begun is not stopped.
  const held = use && use.type !== "Free" && !isWriting(restore);
  const run = {
    repository,
    memory: restore.status,
    make: (ground: RestoreGround) => restoreTask(ground, place, pinned),
    hold: held ? { reason: use.reason, message: use.message } : undefined,
    cancel: into === undefined,
  };
  return onRepository(ports, sources, run, signal);
}

/** The run that asked the repository, once its answer is pinned: it is only to be tidied up. */
export async function earlierTasks(
  ports: KopiurPorts,
  sources: ObservedRestore,
  signal: AbortSignal,
): Promise<readonly Outlook[]> {
  const { restore, resolution } = sources;
  if (!resolution.ok || resolution.value.type !== "Pinned") return [];
  const { repository, identity: pinned } = resolution.value.pinned;
  if (!repository || !pinned) return [];
  const { username, hostname, sourcePath: path } = pinned;
  const identity = { username, hostname, path };
  const place = { purpose: askPurpose(restore, { repository, identity }) };
  if (!recordOf(restore.status, place.purpose)) return [];
  const run = {
    repository,
    memory: restore.status,
    make: (ground: RestoreGround) => askTask(ground, place, identity),
  };
  const outlook = await onRepository(ports, sources, run, signal);
  return outlook.ok ? [outlook.value] : [];
}
