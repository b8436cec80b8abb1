import type { Draft } from "../../../kube/object.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { type Claim, type ClaimRequest, claimDraft, isMadeFor } from "../claim_request.ts";
import { claimExists } from "../ensure_claim.ts";
import { HIDDEN, type Hidden, type Volume, visible } from "../staging/observed_staging.ts";
import { primeDraft } from "./first_step.ts";
import type { ResourceQuota } from "./observed_population.ts";
import { LOOK_AGAIN, type PopulationDecision, type PopulationState } from "./population_decision.ts";
import {
  FILLED_FOR,
  isPopulated,
  POLICY_KEPT,
  type PopulationSource,
  PRIME_ASKED,
} from "./population_marks.ts";
import { quotaProblem } from "./quota_problem.ts";
import { foreignPrime, hasNewVolume, noVolumeYet } from "./volume_of_prime.ts";

/** A claim that is to be made with its data, and what there is of it. */
export interface NewClaimView {
  /** The claim as it is wanted. */
  readonly request: ClaimRequest;
  /** Whoever wants it, and has its UID as `request.madeFor`. */
  readonly source: PopulationSource;
  /** The claim of that name. */
  readonly claim: Claim | undefined;
  readonly prime: Claim | undefined;
  /** The volume behind the prime claim. */
  readonly volume: Volume | Hidden | undefined;
  /** Somebody's own claim that has the prime claim's name. */
  readonly foreign?: Claim | undefined;
  /** Of the namespace, as far as they can be seen. Asked only while there is no prime claim. */
  readonly quotas?: readonly ResourceQuota[] | undefined;
  /** The volume holds what it is to hold, and no mover writes into it any more. */
  readonly filled: boolean;
  readonly now: number;
}

/**
 * What a new claim needs next that nobody may have before its data is in it. Pure. A prime claim gets the volume, from
 * whatever provisioner. As soon as it has one the claim itself is made, for that very volume: it can neither be bound to
 * another nor be mounted, and nobody else can make one of its name. Once the volume is filled it becomes the claim's.
 */
export function decideNewClaim(view: NewClaimView): PopulationDecision {
  const { request, source, claim, prime, filled, now } = view;
  const volume = visible(view.volume);
  const wakeAt = now + LOOK_AGAIN;
  if (claim && (!isMadeFor(claim, request.madeFor) || claim.metadata.deletionTimestamp))
    return { state: refused(claimExists(claim)), intents: [] };
  if (claim && isPopulated(claim)) return { state: { phase: "Populated" }, intents: [] };
  if (claim && volume?.spec?.claimRef?.uid === claim.metadata.uid)
    return { state: { phase: "HandingOver" }, intents: taken(claim, volume), wakeAt };
  const wanted = standIn(request);
  const draft = askingDraft(wanted, source);
  if (!prime) {
    if (view.foreign) return { state: foreignPrime(view.foreign), intents: [] };
    if (filled || claim) return { state: refused(lost(request)), intents: [] };
    const full = quotaProblem(wanted, view.quotas ?? [], 2);
    if (full) return { state: refused({ reason: "QuotaExceeded", message: full }), intents: [] };
    return { state: CREATING, intents: [{ type: "CreatePrime", claim: wanted, draft }] };
  }
  const gone = prime.metadata.deletionTimestamp || prime.status?.phase === "Lost";
  if (gone && !filled) return { state: startingAgain(prime), intents: [], wakeAt };
  const asked = prime.metadata.annotations?.[PRIME_ASKED];
  if (!filled && asked !== undefined && asked !== draft.metadata.annotations?.[PRIME_ASKED])
    return { state: refused(outdated(prime, claim)), intents: [] };
  const { volumeName, storageClassName } = prime.spec ?? {};
  if (claim && claim.spec?.volumeName !== volumeName) return { state: refused(lost(request)), intents: [] };
  if (filled && volumeName && view.volume === undefined)
    return { state: refused(lost(request)), intents: [] };
  // A volume that is not known to be new stays nobody's, also when the prime claim goes.
  const reserves = !claim && volumeName && (filled || hasNewVolume(prime, view.volume));
  const reserve: PopulationDecision["intents"] = reserves
    ? [{ type: "Reserve", request: { ...request, volumeName, storageClassName } }]
    : [];
  if (!filled) return { state: { phase: "Filling", prime }, intents: reserve };
  if (view.volume === HIDDEN) return { state: refused(CANNOT_HAND_OVER), intents: reserve };
  if (!claim || !volume) {
    const state = { phase: "Waiting", reason: "Binding", message: noVolumeYet(prime) } as const;
    return { state, intents: reserve, wakeAt };
  }
  const holder = volume.spec?.claimRef?.uid;
  // Handed over once, to a claim of this name that is gone: it is ours still.
  const ours = holder === prime.metadata.uid || holder === volume.metadata.annotations?.[FILLED_FOR];
  if (!ours) return { state: refused(takenAway(volume)), intents: [] };
  return { state: { phase: "HandingOver" }, intents: [{ type: "HandOver", volume, claim }], wakeAt };
}

function askingDraft(wanted: Claim, source: PopulationSource): Draft<Claim> {
  const draft = primeDraft(wanted, source);
  const { metadata } = draft;
  const asked = fingerprint(JSON.stringify(draft.spec));
  return {
    ...draft,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [PRIME_ASKED]: asked } },
  };
}

/** The claim as it would be. A prime claim is known by whom its claim is made for, while there is none. */
export function standIn(request: ClaimRequest): Claim {
  const { metadata, spec } = claimDraft(request);
  const { namespace, name } = request;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      ...metadata,
      namespace,
      name,
      uid: request.madeFor,
      resourceVersion: "",
      creationTimestamp: "",
    },
    ...(spec ? { spec } : {}),
  };
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

export interface Why {
  readonly reason: string;
  readonly message: string;
}

function refused({ reason, message }: Why): PopulationState {
  return { phase: "Refused", class: "structural", reason, message };
}

const CREATING: PopulationState = {
  phase: "Waiting",
  reason: "CreatingClaim",
  message: "The claim through which the volume is filled is made.",
};

function startingAgain({ metadata }: Claim): PopulationState {
  const message = `PersistentVolumeClaim ${metadata.name}, through which the volume is filled, was deleted or lost its volume: it is made anew.`;
  return { phase: "Waiting", reason: "StartingAgain", message };
}

function outdated({ metadata }: Claim, claim: Claim | undefined): Why {
  const both = claim ? ` and PersistentVolumeClaim ${claim.metadata.name}, which waits for its volume,` : "";
  const message = `PersistentVolumeClaim ${metadata.name}, through which the volume is filled, was made before the size, the class or the access modes of the target were edited. Delete it${both} to have it made anew, or take the edit back.`;
  return { reason: "ClaimOutdated", message };
}

export function lost({ name }: Pick<ClaimRequest, "name">): Why {
  const message = `The volume that PersistentVolumeClaim ${name} was made for is gone, or is no longer the one that is filled. Delete the claim, and create another Restore.`;
  return { reason: "VolumeLost", message };
}

const CANNOT_HAND_OVER: Why = {
  reason: "VolumesHidden",
  message:
    "The volume is filled, and cannot be handed over: the operator may not read PersistentVolumes. Grant it that right.",
};

function takenAway({ metadata }: Volume): Why {
  const message = `PersistentVolume ${metadata.name}, which was filled, is another claim's by now: it is left as it is. Delete that claim, or create another Restore.`;
  return { reason: "VolumeTaken", message };
}
