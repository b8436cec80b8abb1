import type { Claim } from "../../../core/volumes/claim_request.ts";
import { isPrime } from "../../../core/volumes/populator/population_marks.ts";
import { hasNewVolume } from "../../../core/volumes/populator/volume_of_prime.ts";
import { volumeBehind } from "../../../core/volumes/staging/observe_source.ts";
import { decideUse, type UseDecision } from "../../../core/workloads/scaling/decide_use.ts";
import { observeUsers } from "../../../core/workloads/scaling/observe_users.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import type { Reader } from "../../../kube/client.ts";
import type { KopiurPorts } from "../ports.ts";
import { isUnfinished, recordOf } from "../records.ts";
import { othersOnClaim } from "./others_on_claim.ts";
import { isWriting } from "./restore_stage.ts";
import { RESTORE } from "./restore_tasks.ts";

/**
 * Whether the volume of the target is free to be written, before each attempt; and who gets it meanwhile, for as long
 * as one writes. Undefined where that matters no longer.
 */
export async function observeUse(
  ports: KopiurPorts,
  restore: Restore,
  claim: Claim | undefined,
  signal: AbortSignal,
): Promise<UseDecision | undefined> {
  const { pvc, pvcRef } = restore.spec.target ?? {};
  const name = pvc?.name ?? pvcRef?.name ?? "";
  const record = recordOf(restore.status, RESTORE);
  if (record && !isUnfinished(record)) return undefined;
  if (!isWriting(restore)) {
    const hindrance = pvc ? await notNew(ports, claim, signal) : heldByOther(ports, restore, name);
    if (hindrance) return hindrance;
  }
  const { uid: holder, namespace = "" } = restore.metadata;
  const seen = await observeUsers(ports.client, { namespace, name }, { signal });
  const mayScale = pvcRef?.scaleDownWorkloads ?? false;
  return decideUse({ ...seen, claim: name, holder, mayScale, isNew: pvc !== undefined });
}

function heldByOther(ports: KopiurPorts, restore: Restore, name: string): UseDecision | undefined {
  const before = othersOnClaim(ports.caches, restore);
  if (!before) return undefined;
  const message = `Restore ${before.metadata.name} writes into PersistentVolumeClaim ${name}; this one begins when that has ended.`;
  return { type: "Waiting", reason: "VolumeBusy", message };
}

/** A new claim may be given any free volume that fits, also one that was retained for its data. */
export async function notNew(
  { client }: { readonly client: Pick<Reader, "get"> },
  claim: Claim | undefined,
  signal: AbortSignal,
): Promise<UseDecision | undefined> {
  const volume = claim?.spec?.volumeName;
  if (!claim || !volume || hasNewVolume(claim, await volumeBehind(client, claim, { signal })))
    return undefined;
  // A prime claim goes with the Restore that made it.
  const instead = isPrime(claim) ? "" : "; or restore into this very volume with target.pvcRef";
  const message = `PersistentVolumeClaim ${claim.metadata.name} got PersistentVolume ${volume}, which is not known to be made for it and may hold data: it is left as it is. Reserve free volumes for their claims with spec.claimRef, then delete the claim, and it is made anew${instead}.`;
  return { type: "InUse", reason: "VolumeNotNew", message };
}
