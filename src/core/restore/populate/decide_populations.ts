import type { WantedCondition } from "../../../kube/write/conditions.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { soonest } from "../../../lib/soonest.ts";
import { CONDITIONS } from "../../reconcile/condition_types.ts";
import { conditionsFor, isSaid, newsOf, type ReadyState } from "../../reconcile/ready_state.ts";
import { REASONS } from "../../reconcile/reasons.ts";
import type { FailureStatus } from "../../reconcile/status_parts.ts";
import { cut, statusLosses } from "../../reconcile/task_words.ts";
import type { ClaimStatus, Restore, RestoreState } from "../restore.ts";
import { restoreConditions } from "../restore_status.ts";
import { type ClaimDecision, decideClaim } from "./decide_claim.ts";
import type { ObservedClaim, ObservedPopulations } from "./observe_populations.ts";
import { workOf } from "./population_memory.ts";

/** What follows for the claims that name a restore, and for the restore, where there is one. */
export interface PopulationsDecision {
  readonly status?: RestoreState;
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
  const { restore } = observed;
  const decided = observed.claims.map((claim) => ({
    observed: claim,
    ...decideClaim(observed, claim),
  }));
  const claims = decided.map((claim) => ({ ...claim, ...newsFor(restore, claim) }));
  const wakeAt = soonest(...claims.map((claim) => claim.wakeAt));
  if (!restore || restore.spec.target || restore.metadata.deletionTimestamp)
    return { claims, events: [], wakeAt };
  const readyState = readyStateOfAll(observed, claims);
  return {
    status: statusOf(observed, restore, claims, readyState),
    events: newsOf(restore, readyState),
    claims,
    wakeAt,
  };
}

/** At most as many as a status holds; those that need something come first. */
const MOST_ENTRIES = 16;
const ORDER: readonly ClaimStatus["phase"][] = ["Failed", "Restoring", "Resolving", "Pending", "Completed"];

function statusOf(
  { api, ownStatus, now }: ObservedPopulations,
  restore: Restore,
  claims: readonly DecidedClaim[],
  readyState: ReadyState,
): RestoreState {
  const entries = claims
    .flatMap(({ entry }) => entry ?? [])
    .toSorted((a, b) => ORDER.indexOf(a.phase) - ORDER.indexOf(b.phase) || (a.name < b.name ? -1 : 1));
  const { claims: _, claimCount: __, ...before } = restore.status ?? {};
  const { failure: ___, progress: ____, target: _____, work: ______, waiting: _______, ...kept } = before;
  const work = workOf(claims.flatMap(({ remembered }) => remembered ?? []));
  const waiting = claims.find((claim) => claim.waiting !== undefined)?.waiting;
  const { generation } = restore.metadata;
  const fields = reportedFields(restore.status, claims);
  const pvcPrime = entries.find((entry) => entry.pvcPrime !== undefined)?.pvcPrime;
  return {
    ...kept,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...ownStatus,
    ...fields,
    phase: phaseOf(entries),
    ...(waiting ? { waiting } : {}),
    ...(pvcPrime === undefined ? {} : { target: { pvcPrime } }),
    ...(entries.length > 0 ? { claims: shown(entries), claimCount: entries.length } : {}),
    ...(Object.keys(work).length > 0 ? { work } : {}),
    conditions: conditionsFor(
      restore,
      readyState,
      [...bypass(restore, claims), ...restoreConditions({ ...kept, ...fields }, api.words)],
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
function phaseOf(entries: readonly ClaimStatus[]): NonNullable<RestoreState["phase"]> {
  return ORDER.find((phase) => entries.some((entry) => entry.phase === phase)) ?? "Pending";
}

/** As the claim stands that needs most of somebody's attention. */
function readyStateOfAll({ problem }: ObservedPopulations, claims: readonly DecidedClaim[]): ReadyState {
  const shown = claims.filter(({ entry }) => entry !== undefined);
  const worst =
    shown.find(({ bypassed }) => bypassed) ??
    shown.find(({ readyState }) => readyState.state === "stalled") ??
    shown.find(({ readyState }) => readyState.warning) ??
    shown.find(({ readyState }) => readyState.state === "reconciling");
  if (worst) {
    const message = `PersistentVolumeClaim ${worst.observed.name}: ${worst.readyState.message}`;
    return { ...worst.readyState, message };
  }
  if (shown.length > 0) return { ...FILLED, message: `${shown.length} claims that name it have their data.` };
  return problem ? { ...problem, state: "reconciling", warning: true } : PASSIVE;
}

const FILLED = { state: "ready", reason: "Populated" } as const;

const PASSIVE: ReadyState = {
  state: "ready",
  reason: "Passive",
  message: "It waits for claims that name it in their dataSourceRef.",
};

function bypass(restore: Restore, claims: readonly DecidedClaim[]): readonly WantedCondition[] {
  const type = CONDITIONS.populatorBypassed;
  const found = claims.find(({ bypassed }) => bypassed);
  if (found) {
    return [{ type, status: "True", reason: REASONS.populatorBypassed, message: found.readyState.message }];
  }
  if (!restore.status?.conditions?.some((condition) => condition.type === type)) return [];
  const message = "Every claim that names it waits for its data, or has it.";
  return [{ type, status: "False", reason: "Populated", message }];
}

/** What the owner of a claim should hear: that something is wrong, or that all is done; once. */
function newsFor(
  restore: Restore | undefined,
  { entry, readyState, observed }: Omit<DecidedClaim, "news">,
): { readonly news?: EventNote } {
  const warning = readyState.state === "stalled" || readyState.warning;
  if (!entry || !(warning || readyState.state === "ready")) return {};
  const before = restore?.status?.claims?.find(({ uid }) => uid === entry.uid);
  if (before?.phase === entry.phase && isSaid(entry.message ?? "", before.message ?? "")) return {};
  // A claim that has long been done is new to a restore that was created again.
  if (readyState.state === "ready" && observed.prime === undefined) return {};
  return {
    news: { type: warning ? "Warning" : "Normal", reason: readyState.reason, message: readyState.message },
  };
}

type Reported = Pick<ClaimDecision, "fields" | "remembered">;

/** Whose run a status speaks of: one that ended has only this look to tell what came of it. */
const RANKS: readonly ((claim: Reported) => boolean)[] = [
  ({ remembered }) => remembered?.memory.failed !== undefined,
  ({ remembered }) => remembered?.memory.filled === true,
  ({ fields }) => fields?.job !== undefined,
  () => true,
];

/** What a restore's status says of the runs that fill its claims: all about one of them, and the losses of all. */
export function reportedFields(
  { failure, progress, losses = [] }: RestoreState = {},
  claims: readonly Reported[],
): Partial<RestoreState> {
  const telling = claims.filter(({ fields }) => fields !== undefined);
  const told = RANKS.flatMap((rank) => telling.filter(rank))[0];
  // Until another run tells something, the figures of the last one stand.
  const fields = told?.fields ?? (progress ? { progress } : {});
  const failed = told?.remembered?.memory.failed ? fields.failure : undefined;
  const why = failed ?? standing(failure, claims) ?? fields.failure;
  const lost = statusLosses([...losses, ...telling.flatMap((claim) => claim.fields?.losses ?? [])]);
  return {
    ...fields,
    ...(why ? { failure: why } : {}),
    ...(lost.length > 0 ? { losses: lost } : {}),
  };
}

/** The failure that is shown, as long as a claim has failed by it. */
function standing(
  failure: FailureStatus | undefined,
  claims: readonly Reported[],
): FailureStatus | undefined {
  return claims.some(({ remembered }) => remembered?.memory.failed?.reason === failure?.errorClass)
    ? failure
    : undefined;
}
