import { type Claim, isMadeFor } from "../claim_request.ts";
import { claimExists } from "../ensure_claim.ts";
import { HIDDEN, type Volume, visible } from "../staging/observed_staging.ts";
import { abandoned, finished } from "./end_of_prime.ts";
import { askedOf, firstStep } from "./first_step.ts";
import type { PopulationView } from "./observed_population.ts";
import { LOOK_AGAIN, type PopulationDecision, type PopulationState } from "./population_decision.ts";
import {
  FILLED_FOR,
  isPopulated,
  isPrimeFor,
  isPrimeFrom,
  POLICY_KEPT,
  PRIME_ASKED,
} from "./population_marks.ts";
import {
  CANNOT_HAND_OVER,
  foreignPrime,
  lost,
  madeBeforeEdit,
  noVolumeYet,
  refused,
  startingAgain,
  takenAway,
} from "./population_words.ts";
import { hasNewVolume, volumeProblem } from "./volume_of_prime.ts";

/**
 * What a claim needs next that nobody may have before its data is in it. Pure. A second one, its prime claim, gets a
 * volume that is filled; then that volume is made the first one's. The claim is there already, names its source, and
 * waits without a volume. Or it is still to be made (`request`): as soon as the prime claim has its volume, for that very
 * one, so that it can neither be bound to another nor be mounted, and nobody else can make one of its name.
 */
export function decidePopulation(seen: PopulationView): PopulationDecision {
  const { claim, prime: found } = seen;
  const foreign =
    seen.foreign ?? (claim && found && !seen.request && !isPrimeFor(found, claim) ? found : undefined);
  // What is not ours is never removed.
  const view = foreign ? { ...seen, prime: undefined, volume: undefined } : seen;
  const over = notOurs(view) ?? gone(view) ?? populated(view) ?? bypassed(view) ?? handedOver(view);
  if (over) return over;
  if (!view.request && (!view.wanted || claim?.metadata.deletionTimestamp))
    return abandoned(view, { phase: "Ending" });
  if (foreign) return only(foreignPrime(foreign));
  const { prime } = view;
  return prime ? withPrime({ ...view, prime }) : withoutPrime(view);
}

interface PrimeView extends PopulationView {
  readonly prime: Claim;
}

function withPrime(view: PrimeView): PopulationDecision {
  return beginsAgain(view) ?? outdated(view) ?? withoutFitVolume(view) ?? filling(view) ?? handOver(view);
}

function only(state: PopulationState): PopulationDecision {
  return { state, intents: [] };
}

function again({ now }: PopulationView): number {
  return now + LOOK_AGAIN;
}

/** A claim of the name of the one that is to be made. */
function notOurs({ claim, request }: PopulationView): PopulationDecision | undefined {
  if (!request || !claim) return undefined;
  if (isMadeFor(claim, request.madeFor) && !claim.metadata.deletionTimestamp) return undefined;
  const { reason, message } = claimExists(claim);
  return only(refused(reason, message));
}

function gone(view: PopulationView): PopulationDecision | undefined {
  return view.claim || view.request ? undefined : abandoned(view, { phase: "Ending" });
}

/** The prime claim of one that was made goes once the restore has noted that it is over. */
function populated(view: PopulationView): PopulationDecision | undefined {
  if (!view.claim || !isPopulated(view.claim)) return undefined;
  return view.request ? only({ phase: "Populated" }) : finished(view);
}

/** Somebody else may have given a volume to a claim that was there before its data. */
function bypassed(view: PopulationView): PopulationDecision | undefined {
  const { claim, bound, request } = view;
  if (request || !claim?.spec?.volumeName) return undefined;
  const volume = visible(bound);
  if (!volume) {
    const what = `PersistentVolume ${claim.spec.volumeName}`;
    const message =
      bound === HIDDEN
        ? `${what} cannot be read, and may not be the filled one. Grant the operator the right to read PersistentVolumes.`
        : `${what} does not exist, though the claim names it. Delete the claim and create it again.`;
    return only(refused(bound === HIDDEN ? "VolumesHidden" : "VolumeNotFound", message));
  }
  if (volume.metadata.annotations?.[FILLED_FOR] === claim.metadata.uid) return undefined;
  const message = `PersistentVolumeClaim ${claim.metadata.name} is bound to PersistentVolume ${volume.metadata.name}, which was not filled for it: its data was NOT restored. Stop what uses the claim, delete it, and create it again with a storage class whose provisioner leaves claims with a data source alone.`;
  return abandoned(view, { phase: "Bypassed", message });
}

/** The volume is reserved for the claim, which may not have taken it yet. */
function handedOver(view: PopulationView): PopulationDecision | undefined {
  const { claim, request } = view;
  const isTaking = !request && claim?.spec?.volumeName !== undefined;
  const volume = visible(isTaking ? view.bound : view.volume);
  if (!claim || !volume) return undefined;
  const isReserved = volume.spec?.claimRef?.uid === claim.metadata.uid;
  if (!isReserved && !isTaking) return undefined;
  const intents = isReserved ? taken(claim, volume) : [];
  return { state: { phase: "HandingOver" }, intents, wakeAt: again(view) };
}

/** The policy comes back when the claim is bound. */
function taken(claim: Claim, volume: Volume): PopulationDecision["intents"] {
  if (claim.status?.phase !== "Bound") return [];
  const policy = volume.metadata.annotations?.[POLICY_KEPT];
  return [
    ...(policy === undefined ? [] : [{ type: "PutPolicyBack", volume, policy } as const]),
    { type: "MarkPopulated", claim },
  ];
}

function withoutPrime(view: PopulationView): PopulationDecision {
  const { request, claim, filled, source } = view;
  // What is filled, and what is reserved, was so through one.
  return request && (filled || claim) ? only(lost(request.name, source)) : firstStep(view);
}

function beginsAgain(view: PrimeView): PopulationDecision | undefined {
  const { prime, request, filled, source } = view;
  const isGone = prime.metadata.deletionTimestamp !== undefined || prime.status?.phase === "Lost";
  if (request) {
    if (!isGone || filled) return undefined;
    const state = startingAgain(prime, "was deleted or lost its volume");
    return { state, intents: [], wakeAt: again(view) };
  }
  if (!isGone && isPrimeFrom(prime, source)) return undefined;
  const why = "was deleted, lost its volume, or is from an earlier source of the same name";
  return abandoned(view, startingAgain(prime, why));
}

function outdated({ prime, filled, request, source, claim }: PrimeView): PopulationDecision | undefined {
  const asked = prime.metadata.annotations?.[PRIME_ASKED];
  if (!request || filled || asked === undefined || asked === askedOf(request, source)) return undefined;
  return only(madeBeforeEdit(prime, claim));
}

function withoutFitVolume(view: PrimeView): PopulationDecision | undefined {
  const { request, claim, prime, filled, volume, source } = view;
  if (request) {
    const { volumeName } = prime.spec ?? {};
    const isAnothers = claim !== undefined && claim.spec?.volumeName !== volumeName;
    const isGone = filled && volumeName && volume === undefined;
    return isAnothers || isGone ? only(lost(request.name, source)) : undefined;
  }
  const problem = volumeProblem(view, view.instead);
  if (!problem) return undefined;
  return problem.phase === "Waiting" ? { ...only(problem), wakeAt: again(view) } : only(problem);
}

function filling(view: PrimeView): PopulationDecision | undefined {
  const { prime, filled } = view;
  return filled ? undefined : { state: { phase: "Filling", prime }, intents: reserve(view) };
}

function handOver(view: PrimeView): PopulationDecision {
  const { claim, prime, request, source } = view;
  if (view.volume === HIDDEN) return { state: CANNOT_HAND_OVER, intents: reserve(view) };
  const volume = visible(view.volume);
  if (!claim || !volume || !(request || prime.status?.phase === "Bound")) {
    const state = { phase: "Waiting", reason: "Binding", message: noVolumeYet(prime) } as const;
    return { state, intents: reserve(view), wakeAt: again(view) };
  }
  const holder = volume.spec?.claimRef?.uid;
  // Handed over once, to a claim of this name that is gone: it is ours still.
  const isOurs = holder === prime.metadata.uid || holder === volume.metadata.annotations?.[FILLED_FOR];
  if (!isOurs) return only(takenAway(volume, source));
  return {
    state: { phase: "HandingOver" },
    intents: [{ type: "HandOver", volume, claim }],
    wakeAt: again(view),
  };
}

/** A volume that is not known to be new stays nobody's, also when the prime claim goes. */
function reserve({ claim, prime, volume, filled, request }: PrimeView): PopulationDecision["intents"] {
  const { volumeName, storageClassName } = prime.spec ?? {};
  if (!request || claim || !volumeName || !(filled || hasNewVolume(prime, volume))) return [];
  return [{ type: "Reserve", request: { ...request, volumeName, storageClassName } }];
}
