import { type Claim, isMadeFor } from "../../../core/volumes/claim_request.ts";
import { standIn } from "../../../core/volumes/populator/decide_new_claim.ts";
import { quotasIn } from "../../../core/volumes/populator/observe_population.ts";
import { isPopulated, isPrimeFor, primeName } from "../../../core/volumes/populator/population_marks.ts";
import { noVolumeYet } from "../../../core/volumes/populator/volume_of_prime.ts";
import { glance, look } from "../../../core/volumes/staging/look.ts";
import { volumeBehind } from "../../../core/volumes/staging/observe_source.ts";
import { HIDDEN, visible } from "../../../core/volumes/staging/observed_staging.ts";
import type { UseDecision } from "../../../core/workloads/scaling/decide_use.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { PersistentVolumeClaims, PersistentVolumes, StorageClasses } from "../../../kube/builtin.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import type { Reader } from "../../../kube/client.ts";
import { keyOf } from "../../../kube/object.ts";
import type { Through } from "./new_claim.ts";
import { notNew } from "./observe_use.ts";
import { isFilled, isWriting } from "./restore_stage.ts";
import { claimRequest } from "./restore_target.ts";

interface ThroughPorts {
  readonly client: Pick<Reader, "get" | "list">;
  readonly caches: { readonly claims: Pick<Cache<Claim>, "get"> };
  /** The only one that is looked at; default all. */
  readonly namespace?: string | undefined;
}

/**
 * What the new claim of a Restore is filled through. Undefined where volumes cannot be handed over, or a claim that has
 * its own is being written already.
 */
export async function observeThrough(
  { client, caches, namespace: only }: ThroughPorts,
  restore: Restore,
  claim: Claim | undefined,
  signal: AbortSignal,
): Promise<Through | undefined> {
  const { pvc } = restore.spec.target ?? {};
  if (!pvc || only !== undefined) return undefined;
  const { namespace, uid } = restore.metadata;
  const name = primeName(standIn(claimRequest(restore, pvc)));
  const known = caches.claims.get(keyOf({ namespace, name })) !== undefined;
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
  return limited ? { quotas } : {};
}

/** Whether a prime claim is in use for the new claim of this Restore, and not to be tidied up. */
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
  ports: { readonly client: Pick<Reader, "get"> },
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
