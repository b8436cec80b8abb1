import { visible } from "../staging/observed_staging.ts";
import type { PopulationView } from "./observed_population.ts";
import {
  LOOK_AGAIN,
  type PopulationDecision,
  type PopulationIntent,
  type PopulationState,
} from "./population_decision.ts";
import { FILLED_FOR, POLICY_KEPT, PRIME_HELD } from "./population_marks.ts";
import { isNewFor } from "./volume_of_prime.ts";

/** The claim has its data: only the prime claim, which holds nothing any more, is still to go. */
export function finished(view: PopulationView): PopulationDecision {
  return ending(view, { phase: "Populated" }, []);
}

/** What was made goes: the volume of the prime claim with it, unless it was handed over or was there before. */
export function abandoned(view: PopulationView, state: PopulationState): PopulationDecision {
  const { claim, prime } = view;
  const volume = visible(view.volume);
  if (!prime || !volume) return ending(view, state, []);
  const holder = volume.spec?.claimRef?.uid;
  const kept = volume.metadata.annotations?.[POLICY_KEPT];
  const policy = volume.spec?.persistentVolumeReclaimPolicy;
  if (holder === prime.metadata.uid) {
    const isNew = isNewFor(volume, prime);
    const right = isNew ? policy !== "Retain" : policy === "Retain";
    return ending(view, state, right ? [] : [{ type: isNew ? "MakeTemporary" : "MakeLasting", volume }]);
  }
  // It was handed over to a claim that is gone: from here on its class says what becomes of it.
  const ours = volume.metadata.annotations?.[FILLED_FOR] !== undefined;
  if (ours && holder !== prime.metadata.uid && holder !== claim?.metadata.uid && kept !== undefined) {
    return ending(view, state, [{ type: "PutPolicyBack", volume, policy: kept }]);
  }
  return ending(view, state, []);
}

/** The volume is settled first: once the prime claim is gone nobody could tell whose it was. */
function ending(
  { prime, now }: PopulationView,
  state: PopulationState,
  first: readonly PopulationIntent[],
): PopulationDecision {
  if (!prime) return { state, intents: first };
  const { deletionTimestamp, finalizers = [] } = prime.metadata;
  const onlyOurs = finalizers.every((name) => name === PRIME_HELD);
  const last: readonly PopulationIntent[] = !deletionTimestamp
    ? [{ type: "DeletePrime", prime }]
    : onlyOurs && finalizers.length > 0 && first.length === 0
      ? [{ type: "ReleasePrime", prime }]
      : [];
  return { state, intents: [...first, ...last], wakeAt: now + LOOK_AGAIN };
}
