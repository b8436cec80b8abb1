import { unreachable } from "../../../lib/result.ts";
import { soonest } from "../../../lib/soonest.ts";
import type { Intent } from "../../reconcile/decision.ts";
import type { ReadyState } from "../../reconcile/ready_state.ts";
import { REASONS } from "../../reconcile/reasons.ts";
import { cut } from "../../reconcile/task_words.ts";
import type { Claim } from "../../volumes/claim_request.ts";
import { decidePopulation } from "../../volumes/populator/decide_population.ts";
import type { PopulationDecision } from "../../volumes/populator/population_decision.ts";
import { HANDING_OVER, handingOver, LOOK_AGAIN, populating } from "../new_claim.ts";
import type { ClaimStatus, Restore, RestoreState, Waiting } from "../restore.ts";
import { type Filled, fill } from "./fill.ts";
import type { ObservedClaim, ObservedPopulations } from "./observe_populations.ts";
import { type ClaimMemory, isOutdated, primeRecords, type RememberedClaim } from "./population_memory.ts";

/** What follows for one claim that names a restore. */
export interface ClaimDecision {
  /** Absent for a claim that is gone. */
  readonly entry?: ClaimStatus;
  /** How the claim stands, in the words of conditions and events. */
  readonly readyState: ReadyState;
  readonly bypassed?: boolean;
  /** Since when the source is missed. */
  readonly waiting?: Waiting;
  /** Absent where there is nothing to remember. */
  readonly remembered?: RememberedClaim;
  /** What the restore's status says of the run. */
  readonly fields?: Partial<RestoreState>;
  readonly intents: readonly Intent[];
  readonly wakeAt?: number | undefined;
}

const MESSAGE = 512;

export function decideClaim(
  { name, restore, api, problem, now }: Omit<ObservedPopulations, "claims">,
  observed: ObservedClaim,
): ClaimDecision {
  const { filling, memory, claim, prime } = observed;
  const source = { resource: api.resource, name, uid: restore?.metadata.uid };
  const wanted = problem === undefined && !(restore && isOutdated(memory, restore));
  const instead = `restore into a new claim with ${api.words.newClaim}`;
  const view = { ...observed, source, wanted, instead, filled: memory.filled === true, now };
  const decision = decidePopulation(view);
  const { state } = decision;
  const fills = (into: Restore, through: Claim) =>
    filling ? fill({ restore: into, api, prime: through, memory, now }, filling) : idle(into, observed);
  const next =
    state.phase === "Filling" && restore
      ? fills(restore, state.prime)
      : standingOf(decision, { problem, now }, memory);
  const { phase, readyState, memory: known = memory, records, intents, ...more } = next;
  return {
    ...more,
    readyState,
    ...(claim ? { entry: entryOf(observed, phase, readyState) } : {}),
    ...(state.phase === "Bypassed" ? { bypassed: true } : {}),
    // As long as the prime claim is there: what it was filled with is not found out twice.
    ...(prime && restore
      ? { remembered: { prime, memory: known, records: records ?? primeRecords(restore.status, prime) } }
      : {}),
    intents: [...populating(decision), ...intents],
  };
}

/** One that waits for its turn, or has failed and says so until an edit. */
function idle(restore: Restore, { claim, memory, leftovers = [] }: ObservedClaim): Filled {
  const { failed } = memory;
  if (!failed) return { phase: "Pending", readyState: queued(restore), intents: [] };
  const before = restore.status?.claims?.find(({ uid }) => uid === claim?.metadata.uid);
  const message = before?.message ?? `The volume could not be filled. Edit the ${restore.kind} to try again.`;
  const intents: readonly Intent[] =
    leftovers.length > 0 ? [{ type: "Run", decision: { intents: leftovers } }] : [];
  return { phase: "Failed", readyState: { state: "stalled", reason: failed.reason, message }, intents };
}

function queued({ kind }: Restore): ReadyState {
  const message = `Other claims that name the ${kind} are filled first.`;
  return { state: "reconciling", reason: REASONS.queued, message };
}

function entryOf(
  { name, claim, prime }: ObservedClaim,
  phase: ClaimStatus["phase"],
  { message }: ReadyState,
): ClaimStatus {
  const done = phase === "Completed";
  return {
    name,
    ...(claim ? { uid: claim.metadata.uid } : {}),
    phase,
    ...(prime && !done ? { pvcPrime: prime.metadata.name } : {}),
    ...(done ? {} : { message: cut(message, MESSAGE) }),
  };
}

function standingOf(
  decision: PopulationDecision,
  { problem, now }: Pick<ObservedPopulations, "problem" | "now">,
  { filledAt }: ClaimMemory,
): Filled {
  const { state, wakeAt } = decision;
  const at = (phase: Filled["phase"], readyState: ReadyState, again = wakeAt): Filled => ({
    phase,
    readyState,
    intents: [],
    wakeAt: again,
  });
  switch (state.phase) {
    case "Waiting":
      return at("Pending", { ...state, state: "reconciling" });
    case "Refused": {
      const again = soonest(wakeAt, now + LOOK_AGAIN);
      return at("Pending", { ...state, state: "reconciling", warning: true }, again);
    }
    case "Filling":
      return at("Restoring", HANDING_OVER);
    case "HandingOver": {
      const { readyState, wakeAt: again } = handingOver(decision, filledAt, now);
      return at("Restoring", readyState, again);
    }
    case "Populated":
      return at("Completed", POPULATED);
    case "Bypassed": {
      const { message } = state;
      return at("Failed", { state: "stalled", reason: REASONS.populatorBypassed, message });
    }
    case "Ending":
      return at("Pending", problem ? { ...problem, state: "reconciling", warning: true } : ENDING);
    default:
      return unreachable(state);
  }
}

const POPULATED: ReadyState = { state: "ready", reason: "Populated", message: "The claim has its data." };

const ENDING: ReadyState = {
  state: "reconciling",
  reason: "StartingAgain",
  message: "The claim is being deleted, or its source was changed: temporary resources are cleaned up.",
};
