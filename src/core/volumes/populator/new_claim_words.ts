import type { Claim, ClaimRequest } from "../claim_request.ts";
import type { Volume } from "../staging/observed_staging.ts";
import type { PopulationState } from "./population_decision.ts";

/** Why a new claim cannot be made, or filled, as things are. */
export interface Why {
  readonly reason: string;
  readonly message: string;
}

export const CREATING: PopulationState = {
  phase: "Waiting",
  reason: "CreatingClaim",
  message: "The claim through which the volume is filled is made.",
};

export function startingAgain({ metadata }: Claim): PopulationState {
  const message = `PersistentVolumeClaim ${metadata.name}, through which the volume is filled, was deleted or lost its volume: it is made anew.`;
  return { phase: "Waiting", reason: "StartingAgain", message };
}

export function madeBeforeEdit({ metadata }: Claim, claim: Claim | undefined): Why {
  const both = claim ? ` and PersistentVolumeClaim ${claim.metadata.name}, which waits for its volume,` : "";
  const message = `PersistentVolumeClaim ${metadata.name}, through which the volume is filled, was made before the size, the class or the access modes of the target were edited. Delete it${both} to have it made anew, or take the edit back.`;
  return { reason: "ClaimOutdated", message };
}

export function lost({ name }: Pick<ClaimRequest, "name">): Why {
  const message = `The volume that PersistentVolumeClaim ${name} was made for is gone, or is no longer the one that is filled. Delete the claim, and create another Restore.`;
  return { reason: "VolumeLost", message };
}

export const CANNOT_HAND_OVER: Why = {
  reason: "VolumesHidden",
  message:
    "The volume is filled, and cannot be handed over: the operator may not read PersistentVolumes. Grant it that right.",
};

export function takenAway({ metadata }: Volume): Why {
  const message = `PersistentVolume ${metadata.name}, which was filled, is another claim's by now: it is left as it is. Delete that claim, or create another Restore.`;
  return { reason: "VolumeTaken", message };
}
