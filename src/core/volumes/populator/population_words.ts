import type { Claim } from "../claim_request.ts";
import type { Volume } from "../staging/observed_staging.ts";
import type { PopulationState } from "./population_decision.ts";
import type { PopulationSource } from "./population_marks.ts";

/* Why a claim cannot be filled, or made, as things are; and what it waits for. */

export function refused(reason: string, message: string): PopulationState {
  return { phase: "Refused", class: "structural", reason, message };
}

/** `why`: what became of the prime claim. */
export function startingAgain({ metadata }: Claim, why: string): PopulationState {
  const message = `PersistentVolumeClaim ${metadata.name}, through which the volume is filled, ${why}: it is made anew.`;
  return { phase: "Waiting", reason: "StartingAgain", message };
}

export function madeBeforeEdit({ metadata }: Claim, claim: Claim | undefined): PopulationState {
  const both = claim ? ` and PersistentVolumeClaim ${claim.metadata.name}, which waits for its volume,` : "";
  const message = `PersistentVolumeClaim ${metadata.name}, through which the volume is filled, was made before the size, the class or the access modes of the target were edited. Delete it${both} to have it made anew, or take the edit back.`;
  return refused("ClaimOutdated", message);
}

export function lost(claim: string, { resource }: PopulationSource) {
  const message = `The volume that PersistentVolumeClaim ${claim} was made for is gone, or is no longer the one that is filled. Delete the claim, and create another ${resource.kind}.`;
  return { phase: "Refused", class: "structural", reason: "VolumeLost", message } as const;
}

export const CANNOT_HAND_OVER = refused(
  "VolumesHidden",
  "The volume is filled, and cannot be handed over: the operator may not read PersistentVolumes. Grant it that right.",
);

export function takenAway({ metadata }: Volume, { resource }: PopulationSource): PopulationState {
  const message = `PersistentVolume ${metadata.name}, which was filled, is another claim's by now: it is left as it is. Delete that claim, or create another ${resource.kind}.`;
  return refused("VolumeTaken", message);
}

/** Somebody's own claim that has the name of a prime claim. */
export function foreignPrime({ metadata }: Claim): PopulationState {
  const message = `PersistentVolumeClaim ${metadata.name} is there already and was not made for this: it is left as it is. Delete it if its data is not needed.`;
  return refused("ClaimExists", message);
}

export function noVolumeYet({ metadata }: Claim): string {
  return `PersistentVolumeClaim ${metadata.name} has no volume yet; its events say why.`;
}
