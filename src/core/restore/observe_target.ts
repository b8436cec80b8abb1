import { PersistentVolumeClaims, PersistentVolumes, StorageClasses } from "../../kube/builtin.ts";
import type { Reader } from "../../kube/client.ts";
import { keyOf } from "../../kube/object.ts";
import { isUnfinished, recordOf } from "../reconcile/records.ts";
import { type Claim, isMadeFor } from "../volumes/claim_request.ts";
import { standIn } from "../volumes/populator/first_step.ts";
import { quotasIn } from "../volumes/populator/observe_population.ts";
import { isPopulated, isPrime, isPrimeFor, primeName } from "../volumes/populator/population_marks.ts";
import { noVolumeYet } from "../volumes/populator/population_words.ts";
import { hasNewVolume } from "../volumes/populator/volume_of_prime.ts";
import { glance, look } from "../volumes/staging/look.ts";
import { volumeBehind } from "../volumes/staging/observe_source.ts";
import { HIDDEN, visible } from "../volumes/staging/observed_staging.ts";
import { observeGitOps } from "../workloads/gitops/observe_gitops.ts";
import { withGitOps } from "../workloads/gitops/with_gitops.ts";
import { decideUse, type UseDecision } from "../workloads/scaling/decide_use.ts";
import { observeUsers } from "../workloads/scaling/observe_users.ts";
import type { Through } from "./new_claim.ts";
import { claimRequest, type Restore, type RestoreApi } from "./restore.ts";
import type { KnownRestore, RestorePorts } from "./restore_ports.ts";
import { isFilled, isWriting } from "./restore_stage.ts";
import { RESTORE } from "./restore_tasks.ts";

/**
 * Whether the volume of the target is free to be written, before each attempt; and who gets it meanwhile, for as long
 * as one writes. Undefined where that matters no longer.
 */
export async function observeUse(
  ports: Pick<RestorePorts, "client" | "api" | "settings">,
  { restore, intoSameClaim }: Pick<KnownRestore, "restore" | "intoSameClaim">,
  claim: Claim | undefined,
  signal: AbortSignal,
): Promise<UseDecision | undefined> {
  const { pvc, pvcRef } = restore.spec.target ?? {};
  const name = pvc?.name ?? pvcRef?.name ?? "";
  const record = recordOf(restore.status, RESTORE);
  if (record && !isUnfinished(record)) return undefined;
  if (!isWriting(restore)) {
    const hindrance = pvc
      ? await notNew(ports, claim, signal)
      : heldByOther(goesBefore(restore, intoSameClaim()), name);
    if (hindrance) return hindrance;
  }
  const { uid: holder, namespace = "" } = restore.metadata;
  const holds = pvcRef?.holdWorkloads ?? false;
  const seen = await observeUsers(ports.client, { namespace, name, all: holds }, { signal });
  const mayScale = pvcRef?.scaleDownWorkloads ?? false;
  const { scaleDown } = ports.api.words;
  const isNew = pvc !== undefined;
  const use = decideUse({ ...seen, claim: name, holder, mayScale, scaleDown, isNew, holds });
  if (use.type !== "Scale") return use;
  const gitOps = await observeGitOps(ports.client, use.workloads, ports.settings.pauseGitOps, { signal });
  return withGitOps(use, gitOps, holder);
}

function heldByOther(other: Restore | undefined, name: string): UseDecision | undefined {
  if (!other) return undefined;
  const message = `${other.kind} ${other.metadata.name} writes into PersistentVolumeClaim ${name}; this one begins when that has ended.`;
  return { type: "Waiting", reason: "VolumeBusy", message };
}

/**
 * The restore that goes before this one into the same claim: one that writes already, or the oldest that knows what to
 * write. No two write at once, in whatever order they are looked at.
 */
export function goesBefore(restore: Restore, all: readonly Restore[]): Restore | undefined {
  const others = all.filter(({ metadata }) => metadata.uid !== restore.metadata.uid);
  return others.find(isWriting) ?? others.find((other) => isReady(other) && isOlder(other, restore));
}

function isReady({ status }: Restore): boolean {
  return status?.resolved?.pinnedAt !== undefined && !status.resolved.noSnapshot;
}

function isOlder({ metadata: a }: Restore, { metadata: b }: Restore): boolean {
  return (
    a.creationTimestamp < b.creationTimestamp ||
    (a.creationTimestamp === b.creationTimestamp && a.uid < b.uid)
  );
}

/** A new claim may be given any free volume that fits, also one that was retained for its data. */
export async function notNew(
  { client, api }: { readonly client: Pick<Reader, "get">; readonly api: RestoreApi },
  claim: Claim | undefined,
  signal: AbortSignal,
): Promise<UseDecision | undefined> {
  const volume = claim?.spec?.volumeName;
  if (!claim || !volume || hasNewVolume(claim, await volumeBehind(client, claim, { signal })))
    return undefined;
  // A prime claim goes with the restore that made it.
  const instead = isPrime(claim) ? "" : `; or restore into this very volume with ${api.words.existingClaim}`;
  const message = `PersistentVolumeClaim ${claim.metadata.name} got PersistentVolume ${volume}, which is not known to be made for it and may hold data: it is left as it is. Reserve free volumes for their claims with a claimRef, then delete the claim, and it is made anew${instead}.`;
  return { type: "InUse", reason: "VolumeNotNew", message };
}

interface ThroughPorts extends Pick<RestorePorts, "claims" | "namespace"> {
  readonly client: Pick<Reader, "get" | "list">;
}

/**
 * What the new claim of a restore is filled through. Undefined where volumes cannot be handed over, or a claim that has
 * its own is being written already.
 */
export async function observeThrough(
  { client, claims, namespace: only }: ThroughPorts,
  restore: Restore,
  claim: Claim | undefined,
  signal: AbortSignal,
): Promise<Through | undefined> {
  const { pvc } = restore.spec.target ?? {};
  if (!pvc || only !== undefined) return undefined;
  const { namespace, uid } = restore.metadata;
  const name = primeName(standIn(claimRequest(restore, pvc)));
  const known = claims.get(keyOf({ namespace, name })) !== undefined;
  const quotas = known || claim ? [] : await quotasIn(client, namespace ?? "", { signal });
  const limited = quotas !== HIDDEN && quotas.length > 0;
  // What the cache does not have yet is in a quota already.
  const prime =
    known || limited || isWriting(restore)
      ? await look(client, PersistentVolumeClaims, { namespace, name }, { signal })
      : undefined;
  if (prime && !isPrimeFor(prime, restore)) return { foreign: prime };
  if (prime) return { prime, volume: await volumeBehind(client, prime, { signal }) };
  // Whoever may not read volumes could not hand them over either.
  if (!claim && (await glance(client, PersistentVolumes, { name }, { signal })) === HIDDEN) return undefined;
  // A claim that gets a volume of its own has its name, too, a moment before it is bound.
  const hadPrime = restore.status?.target?.pvcPrime !== undefined;
  const isReserved = hadPrime && claim?.spec?.volumeName !== undefined && claim.status?.phase !== "Bound";
  const isDirect = claim && isMadeFor(claim, uid) && !isPopulated(claim) && !isReserved;
  if (isDirect) return undefined;
  const missingClass = !claim && (await isMissing(client, pvc.storageClassName, signal));
  return limited || missingClass ? { storage: { quotas, ...(missingClass ? { missingClass } : {}) } } : {};
}

async function isMissing(
  client: Pick<Reader, "get">,
  storageClass: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  return (
    !!storageClass && (await glance(client, StorageClasses, { name: storageClass }, { signal })) === undefined
  );
}

/** Whether a prime claim is in use for the new claim of this restore, and not to be tidied up. */
export function isInUse(prime: Claim, restore: Restore): boolean {
  if (!isPrimeFor(prime, restore)) return false;
  if (restore.metadata.deletionTimestamp || restore.status?.phase === "Completed") return false;
  // Its data may be all there is, also when somebody has deleted it, or edited the target.
  if (isWriting(restore) || isFilled(restore)) return true;
  const gone = prime.metadata.deletionTimestamp !== undefined || prime.status?.phase === "Lost";
  return restore.spec.target?.pvc !== undefined && !gone;
}

/** Whether the volume of a prime claim may be written: only one that was made for it, as far as that can be seen. */
export async function observePrimeUse(
  ports: { readonly client: Pick<Reader, "get">; readonly api: RestoreApi },
  restore: Restore,
  prime: Claim,
  signal: AbortSignal,
): Promise<UseDecision> {
  if (isWriting(restore) || isFilled(restore)) return { type: "Free" };
  if (prime.spec?.volumeName) return (await notNew(ports, prime, signal)) ?? { type: "Free" };
  const name = prime.spec?.storageClassName ?? "";
  const seen = name ? await glance(ports.client, StorageClasses, { name }, { signal }) : undefined;
  // Only a pod that uses it brings the volume about: the mover itself wants it empty.
  if (visible(seen)?.volumeBindingMode === "WaitForFirstConsumer") return { type: "Free" };
  return { type: "Waiting", reason: "Binding", message: noVolumeYet(prime) };
}
