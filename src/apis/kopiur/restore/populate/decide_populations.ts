import { CONDITIONS } from "../../../../kinds/kopiur/condition_types.ts";
import type { Restore, RestoreStatus } from "../../../../kinds/kopiur/generated/restore.ts";
import type { ClaimStatus } from "../../../../kinds/kopiur/parts.ts";
import { REASONS } from "../../../../kinds/kopiur/reasons.ts";
import type { WantedCondition } from "../../../../kube/write/conditions.ts";
import type { EventNote } from "../../../../kube/write/events.ts";
import { cut } from "../../run_words.ts";
import { soonest } from "../../soonest.ts";
import { conditionsFor, isSaid, newsOf, type Stand } from "../../verdicts.ts";
import { restoreConditions } from "../restore_conditions.ts";
import { type ClaimDecision, decideClaim } from "./decide_claim.ts";
import type { ObservedClaim, ObservedPopulations } from "./observed_populations.ts";
import { workOf } from "./population_memory.ts";
import { toldFields } from "./told_fields.ts";

/** What follows for the claims that name a Restore, and for the Restore, where there is one. */
export interface PopulationsDecision {
  readonly status?: RestoreStatus;
  readonly events: readonly EventNote[];
  readonly claims: readonly DecidedClaim[];
  readonly wakeAt?: number | undefined;
}

export interface DecidedClaim extends ClaimDecision {
  readonly observed: ObservedClaim;
  /** What is told at the claim itself. */
  readonly news?: EventNote;
}

export function decidePopulations(observed: ObservedPopulations): PopulationsDecision {
  const { restore, now } = observed;
  const decided = observed.claims.map((claim) => ({
    observed: claim,
    ...decideClaim(observed, claim),
  }));
  const claims = decided.map((claim) => ({ ...claim, ...newsFor(restore, claim) }));
  const wakeAt = soonest(...claims.map((claim) => claim.wakeAt));
  if (!restore || restore.spec.target || restore.metadata.deletionTimestamp)
    return { claims, events: [], wakeAt };
  const stand = standOfAll(observed, claims);
  return {
    status: statusOf(restore, claims, stand, now),
    events: newsOf(restore, stand),
    claims,
    wakeAt,
  };
}

/** At most as many as a status holds; those that need something come first. */
const MOST_ENTRIES = 16;
const ORDER: readonly ClaimStatus["phase"][] = ["Failed", "Restoring", "Resolving", "Pending", "Completed"];

function statusOf(
  restore: Restore,
  claims: readonly DecidedClaim[],
  stand: Stand,
  now: number,
): RestoreStatus {
  const entries = claims
    .flatMap(({ entry }) => entry ?? [])
    .toSorted((a, b) => ORDER.indexOf(a.phase) - ORDER.indexOf(b.phase) || (a.name < b.name ? -1 : 1));
  const { claims: _, claimCount: __, ...before } = restore.status ?? {};
  const { failure: ___, progress: ____, target: _____, work: ______, waiting: _______, ...kept } = before;
  const work = workOf(claims.flatMap(({ remembered }) => remembered ?? []));
  const waiting = claims.find((claim) => claim.waiting !== undefined)?.waiting;
  const { generation } = restore.metadata;
  const fields = toldFields(restore.status, claims);
  const pvcPrime = entries.find((entry) => entry.pvcPrime !== undefined)?.pvcPrime;
  return {
    ...kept,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    sourceKind: Object.keys(restore.spec.source)[0] ?? "",
    ...fields,
    phase: phaseOf(entries),
    ...(waiting ? { waiting } : {}),
    ...(pvcPrime === undefined ? {} : { target: { pvcPrime } }),
    ...(entries.length > 0 ? { claims: shown(entries), claimCount: entries.length } : {}),
    ...(Object.keys(work).length > 0 ? { work } : {}),
    conditions: conditionsFor(
      restore,
      stand,
      [...bypass(restore, claims), ...restoreConditions({ ...kept, ...fields })],
      now,
    ),
  };
}

/** Many of them say less, so that the status stays small. */
function shown(entries: readonly ClaimStatus[]): readonly ClaimStatus[] {
  if (entries.length <= 4) return entries;
  return entries
    .slice(0, MOST_ENTRIES)
    .map((entry) => (entry.message === undefined ? entry : { ...entry, message: cut(entry.message, 200) }));
}

/** The worst of them. */
function phaseOf(entries: readonly ClaimStatus[]): NonNullable<RestoreStatus["phase"]> {
  return ORDER.find((phase) => entries.some((entry) => entry.phase === phase)) ?? "Pending";
}

/** As the claim stands that needs most of somebody's attention. */
function standOfAll({ problem }: ObservedPopulations, claims: readonly DecidedClaim[]): Stand {
  const shown = claims.filter(({ entry }) => entry !== undefined);
  const worst =
    shown.find(({ bypassed }) => bypassed) ??
    shown.find(({ stand }) => stand.state === "stalled") ??
    shown.find(({ stand }) => stand.warning) ??
    shown.find(({ stand }) => stand.state === "reconciling");
  if (worst) {
    const message = `PersistentVolumeClaim ${worst.observed.name}: ${worst.stand.message}`;
    return { ...worst.stand, message };
  }
  if (shown.length > 0) return { ...FILLED, message: `${shown.length} claims that name it have their data.` };
  return problem ? { ...problem, state: "reconciling", warning: true } : PASSIVE;
}

const FILLED = { state: "ready", reason: "Populated" } as const;

const PASSIVE: Stand = {
  state: "ready",
  reason: "Passive",
  message: "It waits for claims that name it in their dataSourceRef.",
};

function bypass(restore: Restore, claims: readonly DecidedClaim[]): readonly WantedCondition[] {
  const type = CONDITIONS.populatorBypassed;
  const found = claims.find(({ bypassed }) => bypassed);
  if (found) {
    return [{ type, status: "True", reason: REASONS.populatorBypassed, message: found.stand.message }];
  }
  if (!restore.status?.conditions?.some((condition) => condition.type === type)) return [];
  const message = "Every claim that names it waits for its data, or has it.";
  return [{ type, status: "False", reason: "Populated", message }];
}

/** What the owner of a claim should hear: that something is wrong, or that all is done; once. */
function newsFor(
  restore: Restore | undefined,
  { entry, stand, observed }: Omit<DecidedClaim, "news">,
): { readonly news?: EventNote } {
  const warning = stand.state === "stalled" || stand.warning;
  if (!entry || !(warning || stand.state === "ready")) return {};
  const before = restore?.status?.claims?.find(({ uid }) => uid === entry.uid);
  if (before?.phase === entry.phase && isSaid(entry.message ?? "", before.message ?? "")) return {};
  // A claim that has long been done is new to a Restore that was created again.
  if (stand.state === "ready" && observed.prime === undefined) return {};
  return { news: { type: warning ? "Warning" : "Normal", reason: stand.reason, message: stand.message } };
}
