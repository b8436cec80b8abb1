import type { Draft } from "../../../kube/object.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { type Claim, type ClaimRequest, claimDraft, isMadeFor } from "../claim_request.ts";
import { claimExists } from "../ensure_claim.ts";
import { HIDDEN, type Hidden, type Volume, visible } from "../staging/observed_staging.ts";
import { primeDraft } from "./first_step.ts";
import {
  CANNOT_HAND_OVER,
  CREATING,
  lost,
  madeBeforeEdit,
  startingAgain,
  takenAway,
  type Why,
} from "./new_claim_words.ts";
import type { ResourceQuota } from "./observed_population.ts";
import { LOOK_AGAIN, type PopulationDecision } from "./population_decision.ts";
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
  const over = notOurs(view) ?? populated(view) ?? handedOver(view);
  if (over) return over;
  const { prime } = view;
  return prime ? withPrime({ ...view, prime }) : withoutPrime(view);
}

function withoutPrime(view: NewClaimView): PopulationDecision {
  return nameTaken(view) ?? primeGone(view) ?? overQuota(view) ?? create(view);
}

interface PrimeView extends NewClaimView {
  readonly prime: Claim;
}

function withPrime(view: PrimeView): PopulationDecision {
  return (
    beginsAgain(view) ??
    outdated(view) ??
    reservedForAnother(view) ??
    volumeGone(view) ??
    filling(view) ??
    volumeHidden(view) ??
    handOver(view)
  );
}

function notOurs({ claim, request }: NewClaimView): PopulationDecision | undefined {
  if (!claim || (isMadeFor(claim, request.madeFor) && !claim.metadata.deletionTimestamp)) return undefined;
  return refused(claimExists(claim));
}

function populated({ claim }: NewClaimView): PopulationDecision | undefined {
  return claim && isPopulated(claim) ? { state: { phase: "Populated" }, intents: [] } : undefined;
}

function handedOver({ claim, volume: seen, now }: NewClaimView): PopulationDecision | undefined {
  const volume = visible(seen);
  if (!claim || volume?.spec?.claimRef?.uid !== claim.metadata.uid) return undefined;
  return { state: { phase: "HandingOver" }, intents: taken(claim, volume), wakeAt: now + LOOK_AGAIN };
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

function nameTaken({ foreign }: NewClaimView): PopulationDecision | undefined {
  return foreign && { state: foreignPrime(foreign), intents: [] };
}

/** What is filled, and what is reserved, was so through one. */
function primeGone({ filled, claim, request }: NewClaimView): PopulationDecision | undefined {
  return filled || claim ? refused(lost(request)) : undefined;
}

function overQuota({ request, quotas = [] }: NewClaimView): PopulationDecision | undefined {
  const message = quotaProblem(standIn(request), quotas, 2);
  return message ? refused({ reason: "QuotaExceeded", message }) : undefined;
}

function create({ request, source }: NewClaimView): PopulationDecision {
  const draft = askingDraft(request, source);
  return { state: CREATING, intents: [{ type: "CreatePrime", claim: standIn(request), draft }] };
}

function beginsAgain({ prime, filled, now }: PrimeView): PopulationDecision | undefined {
  const gone = prime.metadata.deletionTimestamp || prime.status?.phase === "Lost";
  if (!gone || filled) return undefined;
  return { state: startingAgain(prime), intents: [], wakeAt: now + LOOK_AGAIN };
}

function outdated({ prime, filled, request, source, claim }: PrimeView): PopulationDecision | undefined {
  const asked = prime.metadata.annotations?.[PRIME_ASKED];
  if (filled || asked === undefined) return undefined;
  const { annotations } = askingDraft(request, source).metadata;
  return asked === annotations?.[PRIME_ASKED] ? undefined : refused(madeBeforeEdit(prime, claim));
}

function reservedForAnother({ prime, claim, request }: PrimeView): PopulationDecision | undefined {
  return claim && claim.spec?.volumeName !== prime.spec?.volumeName ? refused(lost(request)) : undefined;
}

function volumeGone({ prime, filled, volume, request }: PrimeView): PopulationDecision | undefined {
  return filled && prime.spec?.volumeName && volume === undefined ? refused(lost(request)) : undefined;
}

function filling(view: PrimeView): PopulationDecision | undefined {
  const { prime, filled } = view;
  return filled ? undefined : { state: { phase: "Filling", prime }, intents: reserve(view) };
}

function volumeHidden(view: PrimeView): PopulationDecision | undefined {
  return view.volume === HIDDEN ? { ...refused(CANNOT_HAND_OVER), intents: reserve(view) } : undefined;
}

function handOver(view: PrimeView): PopulationDecision {
  const { claim, prime, now } = view;
  const volume = visible(view.volume);
  const wakeAt = now + LOOK_AGAIN;
  if (!claim || !volume) {
    const state = { phase: "Waiting", reason: "Binding", message: noVolumeYet(prime) } as const;
    return { state, intents: reserve(view), wakeAt };
  }
  const holder = volume.spec?.claimRef?.uid;
  // Handed over once, to a claim of this name that is gone: it is ours still.
  const ours = holder === prime.metadata.uid || holder === volume.metadata.annotations?.[FILLED_FOR];
  if (!ours) return refused(takenAway(volume));
  return { state: { phase: "HandingOver" }, intents: [{ type: "HandOver", volume, claim }], wakeAt };
}

/** A volume that is not known to be new stays nobody's, also when the prime claim goes. */
function reserve({ claim, prime, volume, filled, request }: PrimeView): PopulationDecision["intents"] {
  const { volumeName, storageClassName } = prime.spec ?? {};
  if (claim || !volumeName || !(filled || hasNewVolume(prime, volume))) return [];
  return [{ type: "Reserve", request: { ...request, volumeName, storageClassName } }];
}

function refused({ reason, message }: Why): PopulationDecision {
  return { state: { phase: "Refused", class: "structural", reason, message }, intents: [] };
}

function askingDraft(request: ClaimRequest, source: PopulationSource): Draft<Claim> {
  const draft = primeDraft(standIn(request), source);
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
