import { HIDDEN, type Volume, visible } from "../staging/observed_staging.ts";
import { abandoned, finished } from "./end_of_prime.ts";
import { firstStep } from "./first_step.ts";
import type { PopulationView } from "./observed_population.ts";
import { LOOK_AGAIN, type PopulationDecision } from "./population_decision.ts";
import { FILLED_FOR, isPopulated, isPrimeFor, isPrimeFrom, POLICY_KEPT } from "./population_marks.ts";
import { foreignPrime, noVolumeYet, volumeProblem } from "./volume_of_prime.ts";

/**
 * What a claim needs next that is to be born with its data. Pure. The claim waits without a volume, while a second
 * one, its prime claim, gets a volume that is filled; then that volume is made the first one's.
 */
export function decidePopulation(seen: PopulationView): PopulationDecision {
  const foreign = seen.claim && seen.prime && !isPrimeFor(seen.prime, seen.claim);
  // What is not ours is never removed.
  const view = foreign ? { ...seen, prime: undefined, volume: undefined } : seen;
  const { claim, prime } = view;
  if (!claim) return abandoned(view, { phase: "Ending" });
  if (isPopulated(claim)) return finished(view);
  if (claim.spec?.volumeName) return afterBinding(view);
  if (isHandedOver(view)) return { state: { phase: "HandingOver" }, intents: [], wakeAt: again(view) };
  if (!view.wanted || claim.metadata.deletionTimestamp) return abandoned(view, { phase: "Ending" });
  if (foreign && seen.prime) return { state: foreignPrime(seen.prime), intents: [] };
  if (!prime) return firstStep(view, claim);
  const lost = prime.metadata.deletionTimestamp || prime.status?.phase === "Lost";
  if (lost || !isPrimeFrom(prime, view.source)) {
    return abandoned(view, {
      phase: "Waiting",
      reason: "StartingAgain",
      message: `PersistentVolumeClaim ${prime.metadata.name}, through which the volume is filled, was deleted, lost its volume, or is from an earlier source of the same name: it is made anew.`,
    });
  }
  const problem = volumeProblem(view);
  if (problem?.phase === "Waiting") return { state: problem, intents: [], wakeAt: again(view) };
  if (problem) return { state: problem, intents: [] };
  return view.filled ? handOver(view) : { state: { phase: "Filling", prime }, intents: [] };
}

function again({ now }: PopulationView): number {
  return now + LOOK_AGAIN;
}

function isFilledFor(volume: Volume | undefined, uid: string | undefined): boolean {
  return uid !== undefined && volume?.metadata.annotations?.[FILLED_FOR] === uid;
}

/** The volume is reserved for the claim, which has not taken it yet. */
function isHandedOver({ claim, volume: seen }: PopulationView): boolean {
  const volume = visible(seen);
  return claim !== undefined && volume?.spec?.claimRef?.uid === claim.metadata.uid;
}

function afterBinding(view: PopulationView): PopulationDecision {
  const { claim, bound } = view;
  const volume = visible(bound);
  if (!claim || !volume) {
    const what = `PersistentVolume ${claim?.spec?.volumeName ?? ""}`;
    const message =
      bound === HIDDEN
        ? `${what} cannot be read, so that nobody knows whether it is the filled one. Grant the operator the right to read PersistentVolumes.`
        : `${what} does not exist, though the claim names it. Delete the claim and create it again.`;
    const reason = bound === HIDDEN ? "VolumesHidden" : "VolumeNotFound";
    return { state: { phase: "Refused", class: "structural", reason, message }, intents: [] };
  }
  if (!isFilledFor(volume, claim.metadata.uid)) {
    const message = `PersistentVolumeClaim ${claim.metadata.name} is bound to PersistentVolume ${volume.metadata.name}, which was not filled for it: its data was NOT restored. Stop what uses the claim, delete it, and create it again with a storage class whose provisioner leaves claims with a data source alone.`;
    return abandoned(view, { phase: "Bypassed", message });
  }
  const policy = volume.metadata.annotations?.[POLICY_KEPT];
  const done = volume.spec?.claimRef?.uid === claim.metadata.uid && claim.status?.phase === "Bound";
  if (!done) return { state: { phase: "HandingOver" }, intents: [], wakeAt: again(view) };
  return {
    state: { phase: "HandingOver" },
    intents: [
      ...(policy === undefined ? [] : [{ type: "PutPolicyBack", volume, policy } as const]),
      { type: "MarkPopulated", claim },
    ],
    wakeAt: again(view),
  };
}

function handOver(view: PopulationView): PopulationDecision {
  const { claim, prime } = view;
  const volume = visible(view.volume);
  if (!claim || !prime || !volume || prime.status?.phase !== "Bound") {
    const message = prime ? noVolumeYet(prime) : "";
    return { state: { phase: "Waiting", reason: "Binding", message }, intents: [], wakeAt: again(view) };
  }
  return {
    state: { phase: "HandingOver" },
    intents: [{ type: "HandOver", volume, claim }],
    wakeAt: again(view),
  };
}
