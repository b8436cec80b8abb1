import { decidePopulation } from "../../../../core/volumes/populator/decide_population.ts";
import type { PopulationState } from "../../../../core/volumes/populator/population_decision.ts";
import {
  type Restore,
  type RestoreStatus,
  restoreResource,
} from "../../../../kinds/kopiur/generated/restore.ts";
import type { ClaimStatus } from "../../../../kinds/kopiur/parts.ts";
import { REASONS } from "../../../../kinds/kopiur/reasons.ts";
import { unreachable } from "../../../../lib/result.ts";
import type { Intent } from "../../decision.ts";
import type { Problem } from "../../problem.ts";
import { cut } from "../../run_words.ts";
import { soonest } from "../../soonest.ts";
import type { Stand } from "../../verdicts.ts";
import type { Waiting } from "../awaited.ts";
import { HANDING_OVER, isLate, NOT_TAKEN } from "../hand_over.ts";
import { type Filled, fill } from "./fill.ts";
import type { ObservedClaim, ObservedPopulations } from "./observed_populations.ts";
import { isOutdated, primeRecords, type RememberedClaim } from "./population_memory.ts";

/** What follows for one claim that names a Restore. */
export interface ClaimDecision {
  /** Absent for a claim that is gone. */
  readonly entry?: ClaimStatus;
  /** How the claim stands, in the words of conditions and events. */
  readonly stand: Stand;
  readonly bypassed?: boolean;
  /** Since when the source is missed. */
  readonly waiting?: Waiting;
  /** Absent where there is nothing to remember. */
  readonly remembered?: RememberedClaim;
  /** What the Restore's status says of the run. */
  readonly fields?: Partial<RestoreStatus>;
  readonly intents: readonly Intent[];
  readonly wakeAt?: number | undefined;
}

const MESSAGE = 512;

export function decideClaim(
  { name, restore, problem, now }: Omit<ObservedPopulations, "claims">,
  observed: ObservedClaim,
): ClaimDecision {
  const { filling, memory, claim, prime } = observed;
  const source = { resource: restoreResource, name, uid: restore?.metadata.uid };
  const wanted = problem === undefined && !(restore && isOutdated(memory, restore));
  const view = { ...observed, source, wanted, filled: memory.filled === true, now };
  const { state, intents, wakeAt } = decidePopulation(view);
  const doing: readonly Intent[] = intents.length > 0 ? [{ type: "Populate", intents }] : [];
  if (state.phase === "Filling" && restore) {
    const at = { restore, prime: state.prime, memory, now };
    const next = filling ? fill(at, filling) : idle(restore, observed);
    const {
      phase,
      stand,
      memory: known = memory,
      records = primeRecords(restore.status, state.prime),
      ...more
    } = next;
    return {
      ...more,
      stand,
      entry: entryOf(observed, phase, stand),
      remembered: { prime: state.prime, memory: known, records },
      intents: [...doing, ...more.intents],
    };
  }
  // While there is something to do for us, it is not the claim that is late.
  const late = state.phase === "HandingOver" && intents.length === 0 && isLate(memory.filledAt, now);
  const { phase, stand } = late ? LATE : standOf(state, problem);
  return {
    ...(claim ? { entry: entryOf(observed, phase, stand) } : {}),
    stand,
    ...(state.phase === "Bypassed" ? { bypassed: true } : {}),
    // As long as the prime claim is there: what it was filled with is not found out twice.
    ...(prime && restore
      ? { remembered: { prime, memory, records: primeRecords(restore.status, prime) } }
      : {}),
    intents: doing,
    wakeAt: late
      ? now + LOOK_AGAIN
      : soonest(wakeAt, state.phase === "Refused" ? now + LOOK_AGAIN : undefined),
  };
}

/** One that waits for its turn, or has failed and says so until an edit. */
function idle(restore: Restore, { claim, memory, leftovers = [] }: ObservedClaim): Filled {
  const { failed } = memory;
  if (!failed) return { phase: "Pending", stand: QUEUED, intents: [] };
  const before = restore.status?.claims?.find(({ uid }) => uid === claim?.metadata.uid);
  const message = before?.message ?? "The volume could not be filled. Edit the Restore to try again.";
  const intents: readonly Intent[] =
    leftovers.length > 0 ? [{ type: "Run", decision: { intents: leftovers } }] : [];
  return { phase: "Failed", stand: { state: "stalled", reason: failed.reason, message }, intents };
}

const QUEUED: Stand = {
  state: "reconciling",
  reason: REASONS.queued,
  message: "Other claims that name the Restore are filled first.",
};

/** Until a claim that something around it keeps from being filled is looked at again. */
const LOOK_AGAIN = 60_000;

function entryOf(
  { name, claim, prime }: ObservedClaim,
  phase: ClaimStatus["phase"],
  { message }: Stand,
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

interface Standing {
  readonly phase: ClaimStatus["phase"];
  readonly stand: Stand;
}

function standOf(state: PopulationState, problem: Problem | undefined): Standing {
  switch (state.phase) {
    case "Waiting":
      return { phase: "Pending", stand: { ...state, state: "reconciling" } };
    case "Refused":
      return { phase: "Pending", stand: { ...state, state: "reconciling", warning: true } };
    case "Filling":
    case "HandingOver":
      return { phase: "Restoring", stand: HANDING_OVER };
    case "Populated":
      return { phase: "Completed", stand: POPULATED };
    case "Bypassed":
      return {
        phase: "Failed",
        stand: { state: "stalled", reason: REASONS.populatorBypassed, message: state.message },
      };
    case "Ending":
      return {
        phase: "Pending",
        stand: problem ? { ...problem, state: "reconciling", warning: true } : ENDING,
      };
    default:
      return unreachable(state);
  }
}

const LATE: Standing = { phase: "Restoring", stand: NOT_TAKEN };

const POPULATED: Stand = { state: "ready", reason: "Populated", message: "The claim has its data." };

const ENDING: Stand = {
  state: "reconciling",
  reason: "StartingAgain",
  message: "The claim is being deleted, or its source was changed: what was made for it goes.",
};
