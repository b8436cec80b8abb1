import { unreachable } from "../../lib/result.ts";
import type { Intent } from "../reconcile/decision.ts";
import { blocked, type Problem } from "../reconcile/problem.ts";
import type { ReadyState } from "../reconcile/ready_state.ts";
import type { Claim } from "../volumes/claim_request.ts";
import { decidePopulation } from "../volumes/populator/decide_population.ts";
import type { ObservedPopulation } from "../volumes/populator/observed_population.ts";
import type { PopulationDecision } from "../volumes/populator/population_decision.ts";
import type { PopulationSource } from "../volumes/populator/population_marks.ts";
import { lost } from "../volumes/populator/population_words.ts";
import { claimRequest, type NewClaim, type RestoreState, type RestoreView } from "./restore.ts";
import { isFilled } from "./restore_stage.ts";
import { completed } from "./restore_status.ts";

/** What a new claim is filled through, where volumes can be handed over. */
export type Through = Pick<ObservedPopulation, "prime" | "volume" | "foreign" | "storage">;

/** What is next for a new claim that nobody may have before its data is in it. */
export interface NewClaimStep {
  /** Why it does not go on. */
  readonly problem?: Problem;
  /** Without this, and without a problem, the data is written into the prime claim. */
  readonly standing?: {
    readonly readyState: ReadyState;
    readonly phase: NonNullable<RestoreState["phase"]>;
  };
  readonly intents: readonly Intent[];
  readonly wakeAt?: number | undefined;
}

export function newClaimStep(
  { restore, api, claim, now }: RestoreView & { readonly claim?: Claim | undefined },
  through: Through,
  target: NewClaim,
): NewClaimStep {
  const filled = isFilled(restore);
  const { timing, progress } = (filled && restore.status) || {};
  const decision = decidePopulation({
    ...through,
    claim,
    request: claimRequest(restore, target),
    source: sourceOf({ restore, api }),
    wanted: true,
    filled,
    instead: "",
    now,
  });
  const { state, wakeAt } = decision;
  const intents = populating(decision);
  switch (state.phase) {
    case "Filling":
      return { intents };
    case "Refused":
      return { problem: blocked(state.reason, state.message), intents: [] };
    case "HandingOver": {
      const { readyState, wakeAt: again } = handingOver(decision, timing?.endTime, now);
      return { standing: { readyState, phase: "Restoring" }, intents, wakeAt: again };
    }
    case "Populated":
      return { standing: { readyState: completed(progress), phase: "Completed" }, intents: [] };
    case "Waiting": {
      const readyState = { ...state, state: "reconciling" } as const;
      return { standing: { readyState, phase: filled ? "Restoring" : "Resolving" }, intents, wakeAt };
    }
    case "Bypassed":
    case "Ending":
      return { intents: [] };
    default:
      return unreachable(state);
  }
}

/** The prime claim went while a mover wrote into it. */
export function lostUnderWay(view: RestoreView, { name }: Pick<NewClaim, "name">): Problem {
  return lost(name, sourceOf(view));
}

function sourceOf({ restore, api }: Pick<RestoreView, "restore" | "api">): PopulationSource {
  const { name, uid } = restore.metadata;
  return { resource: api.resource, name, uid };
}

export function populating({ intents }: PopulationDecision): readonly Intent[] {
  return intents.length > 0 ? [{ type: "Populate", intents }] : [];
}

export const HANDING_OVER: ReadyState = {
  state: "reconciling",
  reason: "HandingOver",
  message: "The volume is filled, and handed over to the claim.",
};

const NOT_TAKEN: ReadyState = {
  state: "reconciling",
  warning: true,
  reason: "VolumeNotTaken",
  message:
    "The volume is filled and reserved for the claim, which has not taken it: the events of the claim say why.",
};

/** A claim takes the volume that is reserved for it within seconds. */
const LONGEST_HAND_OVER = 60_000;

/** Until a claim that something around it keeps from its volume is looked at again. */
export const LOOK_AGAIN = 60_000;

/** How it stands while a filled volume becomes its claim's, and when to look again. */
export function handingOver(
  { intents, wakeAt }: PopulationDecision,
  filledAt: string | undefined,
  now: number,
) {
  // While there is something to do for us, it is not the claim that is late.
  const isLate = intents.length === 0 && now - Date.parse(filledAt ?? "") > LONGEST_HAND_OVER;
  return isLate ? { readyState: NOT_TAKEN, wakeAt: now + LOOK_AGAIN } : { readyState: HANDING_OVER, wakeAt };
}
