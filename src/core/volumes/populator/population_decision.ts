import type { FailureClass } from "../../../kube/failure.ts";
import type { Draft } from "../../../kube/object.ts";
import type { Claim, ClaimRequest } from "../claim_request.ts";
import type { Volume } from "../staging/observed_staging.ts";

/** Until something that nothing tells of is looked at again, in milliseconds. */
export const LOOK_AGAIN = 2_000;

/** What follows for a claim that is populated through a prime claim. */
export interface PopulationDecision {
  readonly state: PopulationState;
  readonly intents: readonly PopulationIntent[];
  /** When to look again, in milliseconds since 1970, if nothing changes sooner. */
  readonly wakeAt?: number;
}

export type PopulationState =
  | { readonly phase: "Waiting"; readonly reason: string; readonly message: string }
  /** It cannot be done as things are. */
  | {
      readonly phase: "Refused";
      readonly reason: string;
      readonly message: string;
      readonly class: FailureClass;
    }
  /** The prime claim is there, for a mover to write into. */
  | { readonly phase: "Filling"; readonly prime: Claim }
  /** What is in the prime claim becomes the claim's. */
  | { readonly phase: "HandingOver" }
  | { readonly phase: "Populated" }
  /** Somebody else gave the claim a volume, which nobody has filled. */
  | { readonly phase: "Bypassed"; readonly message: string }
  /** Nobody wants it any more: the mover has to end, and what was made goes. */
  | { readonly phase: "Ending" };

/** Something to be done in the cluster. Each may be done again, and is refused for an object that has changed. */
export type PopulationIntent =
  | { readonly type: "CreatePrime"; readonly claim: Claim; readonly draft: Draft<Claim> }
  /** The claim itself is made, for the volume of its prime claim and no other. */
  | { readonly type: "Reserve"; readonly request: ClaimRequest }
  /** The volume of the prime claim becomes the claim's, and is retained until that is done. */
  | { readonly type: "HandOver"; readonly volume: Volume; readonly claim: Claim }
  /** The volume is reclaimed again as it was before it was handed over. */
  | { readonly type: "PutPolicyBack"; readonly volume: Volume; readonly policy: string }
  /** What was made for nothing goes with its claim. */
  | { readonly type: "MakeTemporary"; readonly volume: Volume }
  /** What was there before outlives the claim that got it. */
  | { readonly type: "MakeLasting"; readonly volume: Volume }
  /** The claim says that it got its data. */
  | { readonly type: "MarkPopulated"; readonly claim: Claim }
  /** The runs that fill it end, and it goes. */
  | { readonly type: "DeletePrime"; readonly prime: Claim }
  /** The runs that were to fill it end, and the prime claim is no longer held by us. */
  | { readonly type: "ReleasePrime"; readonly prime: Claim };
