import type { Claim } from "../claim_request.ts";
import { HIDDEN, type Hidden, type Volume, visible } from "../staging/observed_staging.ts";
import type { ObservedPopulation } from "./observed_population.ts";
import type { PopulationState } from "./population_decision.ts";
import { primeTarget, SELECTED_NODE } from "./population_marks.ts";
import { noVolumeYet, refused } from "./population_words.ts";

/** On a volume: the provisioner that made it. */
export const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
/** On a volume that was there, and free, before a claim got it. */
export const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";

/**
 * Whether a volume was made for a prime claim. Kubernetes rather gives a claim any free volume that fits, such as one
 * that was retained: that is somebody's data. A volume whose name does not tell must be the younger one; the API server
 * counts whole seconds, and of the same second it is not known to be.
 */
export function isNewFor({ metadata: volume }: Volume, { metadata: prime }: Claim): boolean {
  const { name, annotations = {}, creationTimestamp } = volume;
  return (
    annotations[PROVISIONED_BY] !== undefined &&
    annotations[BOUND_BY_CONTROLLER] === undefined &&
    (isNamedAfter(name, prime.uid) || Date.parse(creationTimestamp) > Date.parse(prime.creationTimestamp))
  );
}

/** Whether the volume of a claim is known to be made for it, also where volumes cannot be read. */
export function hasNewVolume(claim: Claim, volume: Volume | Hidden | undefined): boolean {
  const seen = visible(volume);
  return (
    isNamedAfter(claim.spec?.volumeName ?? "", claim.metadata.uid) ||
    (seen !== undefined && isNewFor(seen, claim))
  );
}

/** Fewer characters of a UID tell nothing. */
const SHORTEST_UID = 8;

/** Provisioners name a volume after the UID of its claim; where names must be short, after the beginning of it, without dashes. */
function isNamedAfter(volume: string, uid: string): boolean {
  const end = volume.slice(volume.lastIndexOf("-") + 1);
  return (
    volume.endsWith(`-${uid}`) || (end.length >= SHORTEST_UID && uid.replaceAll("-", "").startsWith(end))
  );
}

/** Why the volume of a prime claim may be neither filled nor handed over. */
export function volumeProblem(
  { prime, volume }: ObservedPopulation,
  instead = "",
): PopulationState | undefined {
  if (!prime?.spec?.volumeName) return undefined;
  if (volume === HIDDEN) {
    const message = `Nobody knows whether the volume is a new one, nor could it be handed over: the operator may not read PersistentVolumes. Grant it that right, or ${instead}.`;
    return refused("VolumesHidden", message);
  }
  if (!volume) return { phase: "Waiting", reason: "Binding", message: noVolumeYet(prime) };
  if (volume.spec?.claimRef?.uid !== prime.metadata.uid) {
    const message = `PersistentVolume ${volume.metadata.name} was to be filled, and is another claim's by now: it is left as it is. Delete PersistentVolumeClaim ${prime.metadata.name} to begin again.`;
    return refused("VolumeTaken", message);
  }
  if (isNewFor(volume, prime)) return undefined;
  const message = `PersistentVolumeClaim ${prime.metadata.name}, through which the volume is filled, got PersistentVolume ${volume.metadata.name}, which is not known to be made for it and may hold data: it is left as it is. Reserve free volumes for their claims with a claimRef, then delete PersistentVolumeClaim ${primeTarget(prime)}, which releases this one, and create it again.`;
  return refused("VolumeNotNew", message);
}

/** Its provisioner wants another node chosen for it, which only a pod that uses it brings about. */
export function needsConsumer(claim: Claim, prime: Claim): boolean {
  const chosen = ({ metadata }: Claim) => metadata.annotations?.[SELECTED_NODE] !== undefined;
  return !prime.spec?.volumeName && chosen(claim) && !chosen(prime);
}

/** Why nothing is written into a prime claim yet: what it gets might not be new. */
export function bindingHold(
  claim: Claim,
  prime: Claim,
): { readonly reason: string; readonly message: string } | undefined {
  if (prime.spec?.volumeName || needsConsumer(claim, prime)) return undefined;
  return { reason: "Binding", message: noVolumeYet(prime) };
}
