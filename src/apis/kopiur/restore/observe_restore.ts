import { type Claim, isMadeFor } from "../../../core/volumes/claim_request.ts";
import { look } from "../../../core/volumes/staging/look.ts";
import { decideUse, type UseDecision } from "../../../core/workloads/scaling/decide_use.ts";
import { observeUsers } from "../../../core/workloads/scaling/observe_users.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import { keyOf } from "../../../kube/object.ts";
import type { Outlook } from "../outlook.ts";
import type { KopiurPorts } from "../ports.ts";
import { isUnfinished, recordOf } from "../records.ts";
import type { ObservedRestore } from "./decide_restore.ts";
import { onRepository } from "./on_repository.ts";
import { othersOnClaim } from "./others_on_claim.ts";
import { type Pinned, resolveSource, type Sources, targetName } from "./resolution.ts";
import { sourceObjects } from "./restore_sources.ts";
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
  const scaled = await observeScaled(ports.client, restore, signal);
  const base = { ...sources, claim, resolution, scaled };
  if (!resolution.ok) return base;
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
  if (pinned.noSnapshot || !claim || !mayWrite(restore, claim)) return base;
  const use = await observeUse(ports, restore, signal);
  return { ...base, run: await dataRun(ports, sources, { pinned, use }, signal), ...(use ? { use } : {}) };
}

/** Of an existing claim everything matters, of a new one only whose it is. */
async function targetClaim(
  { caches, client }: KopiurPorts,
  { metadata, spec }: Restore,
  signal: AbortSignal,
): Promise<Claim | undefined> {
  const { namespace } = metadata;
  const { pvc, pvcRef } = spec.target ?? {};
  if (pvcRef) return look(client, PersistentVolumeClaims, { namespace, name: pvcRef.name }, { signal });
  return pvc && caches.claims.get(keyOf({ namespace, name: pvc.name }));
}

/** Nothing is written into a volume that was neither made for this nor named by somebody. */
function mayWrite({ metadata, spec }: Restore, claim: Claim): boolean {
  return spec.target?.pvcRef !== undefined || isMadeFor(claim, metadata.uid);
}

function dataRun(
  ports: KopiurPorts,
  sources: Sources,
  { pinned, use }: { readonly pinned: Pinned; readonly use: UseDecision | undefined },
  signal: AbortSignal,
) {
  const { restore } = sources;
  const { repository } = pinned;
  if (!repository) return undefined;
  const place = {
    purpose: RESTORE,
    claim: targetName(restore) ?? "",
    ours: restore.spec.target?.pvc !== undefined,
  };
  const run = {
    repository,
    memory: restore.status,
    make: (ground: RestoreGround) => restoreTask(ground, place, pinned),
    hold: use && use.type !== "Free" ? { reason: use.reason, message: use.message } : undefined,
  };
  return onRepository(ports, sources, run, signal);
}

/** Who else has the volume, while that matters: a run that has begun is not stopped. */
async function observeUse(
  ports: KopiurPorts,
  restore: Restore,
  signal: AbortSignal,
): Promise<UseDecision | undefined> {
  const { pvcRef } = restore.spec.target ?? {};
  const record = recordOf(restore.status, RESTORE);
  if (!pvcRef || (record && !isUnfinished(record)) || record?.job !== undefined) return undefined;
  const { uid, namespace = "" } = restore.metadata;
  const before = othersOnClaim(ports.caches, restore);
  if (before) {
    const message = `Restore ${before.metadata.name} writes into PersistentVolumeClaim ${pvcRef.name}; this one begins when that has ended.`;
    return { type: "Waiting", reason: "VolumeBusy", message };
  }
  const seen = await observeUsers(ports.client, { namespace, name: pvcRef.name }, { signal });
  return decideUse({ ...seen, claim: pvcRef.name, holder: uid, mayScale: pvcRef.scaleDownWorkloads });
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
