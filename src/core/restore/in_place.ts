import type { Reader } from "../../kube/client.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { soonest } from "../../lib/soonest.ts";
import type { Decision, Intent } from "../reconcile/decision.ts";
import { blocked, type Problem, refused, waits } from "../reconcile/problem.ts";
import { conditionsFor, type ReadyState, wakeFor } from "../reconcile/ready_state.ts";
import type { Claim } from "../volumes/claim_request.ts";
import { GITOPS_KINDS } from "../workloads/gitops/gitops_kinds.ts";
import {
  type GitOpsOwner,
  observePaused,
  type PausedOwner,
  pausedOwner,
} from "../workloads/gitops/observe_gitops.ts";
import { bringingBack } from "../workloads/scaling/bringing_back.ts";
import { CANNOT_SCALE } from "../workloads/scaling/carry_out_scaling.ts";
import type { UseDecision } from "../workloads/scaling/decide_use.ts";
import { observeWorkloads } from "../workloads/scaling/observe_users.ts";
import { holdersOf, KEEPS_DOWN, scaledFrom } from "../workloads/scaling/scaling_marks.ts";
import {
  type HiddenWorkload,
  hiddenText,
  scalingRule,
  type Workload,
  workloadText,
} from "../workloads/scaling/workload.ts";
import { deletionDoubt } from "./deletion_doubt.ts";
import type {
  Pinned,
  Restore,
  RestoreApi,
  RestoreState,
  RestoreView,
  RestoreWords,
  ScaledWorkload,
} from "./restore.ts";
import { isOver, isWriting } from "./restore_stage.ts";
import { readyStateOfEnded } from "./restore_status.ts";
import { isIncomplete } from "./target_incomplete.ts";

/** Until a volume that somebody uses is looked at again: nothing tells when it gets free. */
export const LOOK_FOR_USERS = 15_000;

/** As many as a status remembers. */
const MOST_SCALED = 16;
/** As many have room in a status beside these. */
const MOST_PAUSED = 2;

/** Why nothing can be written into a claim that is there already. */
export function existingClaimProblem(
  name: string,
  claim: Claim | undefined,
  { existingClaim }: RestoreWords,
): Problem | undefined {
  const what = `PersistentVolumeClaim ${name}`;
  if (!claim)
    return waits("ClaimNotFound", `${what} does not exist. Create it, or correct ${existingClaim}.`);
  if (claim.metadata.deletionTimestamp)
    return blocked("ClaimDeleting", `${what} is being deleted: nothing is written into it.`);
  if (claim.spec?.volumeMode === "Block")
    return refused(
      "BlockVolume",
      `${what} is a block device, and files cannot be restored into one. Name a claim with volumeMode: Filesystem.`,
    );
  return undefined;
}

/** Why files are not deleted by this snapshot unless somebody confirms it. */
export function unconfirmedDeletion(
  { restore, api, targetBytes }: RestoreView & { readonly targetBytes?: number },
  { sizeBytes, lacks }: Pinned,
): Problem | undefined {
  const { target, options } = restore.spec;
  if (!target?.pvcRef || options.confirmDeletion) return undefined;
  const doubt = deletionDoubt({ options, snapshotBytes: sizeBytes, lacks, targetBytes });
  if (doubt === undefined) return undefined;
  const message = `Nothing was written: ${doubt}. If that is meant, set ${api.words.confirmDeletion}; otherwise restore another snapshot.`;
  return refused("DeletionUnconfirmed", message);
}

/** What has to happen before the volume can be written; undefined when it is free. */
export interface Clearance {
  readonly readyState: ReadyState;
  readonly wakeAt: number;
  readonly intents: readonly Intent[];
  readonly scaledWorkloads?: readonly ScaledWorkload[];
  readonly pausedGitOps?: readonly PausedOwner[];
}

export function clearance({ restore, api, now }: RestoreView, use: UseDecision): Clearance | undefined {
  if (use.type === "Free") return undefined;
  const { reason, message } = use;
  const readyState: ReadyState = { state: "reconciling", reason, message, warning: use.type === "InUse" };
  const wakeAt = now + (reason === "ScalingDown" ? SCALING : LOOK_FOR_USERS);
  if (use.type !== "Scale") return { readyState, wakeAt, intents: [] };
  const scaledWorkloads = remembering(restore.status?.scaledWorkloads, use.workloads);
  const pausedGitOps = pausedToo(restore.status?.pausedGitOps, use.owners);
  if (scaledWorkloads.length > MOST_SCALED || pausedGitOps.length > MOST_PAUSED)
    return tooMany(scaledWorkloads.length, pausedGitOps.length, now);
  return {
    readyState,
    wakeAt,
    // Held first: once something is down, somebody has to be there to bring it back.
    intents: [
      { type: "Hold", finalizer: api.finalizer, labels: {} },
      { type: "Scale", intents: use.intents },
    ],
    scaledWorkloads,
    ...(pausedGitOps.length > 0 ? { pausedGitOps } : {}),
  };
}

/** What the status cannot remember would stay down. */
function tooMany(workloads: number, owners: number, now: number): Clearance {
  const message =
    workloads > MOST_SCALED
      ? `${workloads} workloads use the claim, and a restore scales down at most ${MOST_SCALED}. Scale some of them down yourself.`
      : `${owners} Applications or HelmReleases own workloads that use the claim, and a restore pauses at most ${MOST_PAUSED}. Pause some of them yourself.`;
  return {
    readyState: { state: "reconciling", reason: "TooManyWorkloads", message, warning: true },
    wakeAt: now + LOOK_FOR_USERS,
    intents: [],
  };
}

/** Until workloads that are being scaled are looked at again. */
export const SCALING = 2_000;

/** What a restore has scaled down and paused, as it is now. */
export interface HeldBack {
  readonly scaled: readonly Workload[];
  /** What applies these, and was paused. Default: nothing. */
  readonly paused?: readonly GitOpsOwner[];
  /** What of both we may not read. Default: nothing. */
  readonly hidden?: readonly HiddenWorkload[];
}

export async function observeHeldBack(
  reader: Pick<Reader, "get" | "list">,
  { metadata, status }: Restore,
  signal: AbortSignal,
): Promise<HeldBack> {
  const { scaledWorkloads = [], pausedGitOps = [] } = status ?? {};
  if (scaledWorkloads.length + pausedGitOps.length === 0) return { scaled: [] };
  const names = scaledWorkloads.map((one) => ({ apiVersion: "apps/v1", ...one }));
  const workloads = await observeWorkloads(reader, names, metadata.namespace ?? "", { signal });
  const { paused, hidden } = await observePaused(reader, pausedGitOps, { signal });
  return { scaled: workloads.seen, paused, hidden: [...workloads.hidden, ...hidden] };
}

interface Scaled extends RestoreView, HeldBack {}

/** What was remembered, and what is about to be scaled down, with the number that it was given last. */
export function remembering(
  before: readonly ScaledWorkload[] = [],
  workloads: readonly Workload[],
): readonly ScaledWorkload[] {
  const named = ({ kind, name }: ScaledWorkload) => `${kind}/${name}`;
  const more = workloads.map(({ resource, object, replicas }) => ({
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name: object.metadata.name,
    replicas: replicas > 0 ? replicas : (scaledFrom(object) ?? replicas),
  }));
  return [...new Map([...before, ...more].map((one) => [named(one), one])).values()];
}

/** What was remembered as paused, and what is about to be. */
function pausedToo(
  before: readonly PausedOwner[] = [],
  owners: readonly GitOpsOwner[] = [],
): readonly PausedOwner[] {
  const key = ({ kind, namespace, name }: PausedOwner) => `${kind}/${namespace}/${name}`;
  return [...new Map([...before, ...owners.map(pausedOwner)].map((one) => [key(one), one])).values()];
}

/**
 * The decision, with what was scaled down brought back once the restore is over, unless that has left the volume half
 * written. It is forgotten when it is seen to be back.
 */
export function broughtBack(
  { restore, api, scaled, paused = [], hidden = [], now }: Scaled,
  decision: Decision<RestoreState>,
): Decision<RestoreState> {
  const { uid, finalizers = [] } = restore.metadata;
  const status = decision.status ?? restore.status;
  const held = finalizers.includes(api.finalizer);
  if (!status || !isOver({ status }) || isWriting({ status }) || !(status.scaledWorkloads || held))
    return decision;
  const down = scaled.filter(({ object }) => holdersOf(object).includes(uid));
  // What finds a half-written volume may destroy the rest of it.
  if (isIncomplete(status) && restore.spec.target?.pvcRef?.onFailure !== "ScaleUp")
    return down.length > 0 ? stayingDown(restore, api, decision, down) : decision;
  // It is one of several that are restored together.
  if (restore.metadata.annotations?.[KEEPS_DOWN] !== undefined) return decision;
  const intents = bringingBack(scaled, paused, uid);
  if (intents.length > 0) {
    return {
      ...decision,
      intents: [...decision.intents, { type: "Scale", intents }],
      wakeAt: Math.min(decision.wakeAt ?? Number.POSITIVE_INFINITY, now + SCALING),
    };
  }
  if (hidden.length > 0) {
    const problem = notBroughtBack(api, hidden);
    const { reason, message } = problem;
    const events = [...(decision.events ?? []), { type: "Warning", reason, message } as const];
    return { ...decision, events, wakeAt: soonest(decision.wakeAt, wakeFor(problem, now)) };
  }
  const { scaledWorkloads: _, pausedGitOps: __, ...rest } = status;
  const letGo = { type: "LetGo", finalizer: api.finalizer } as const;
  return {
    ...decision,
    status: { ...rest, ...standingAgain({ restore, api, now }, rest) },
    intents: [...decision.intents, ...(held ? [letGo] : [])],
  };
}

/** The decision, with the event that tells when a restore ends what stays down, and how it comes back. */
function stayingDown(
  { status: before }: Restore,
  { words }: RestoreApi,
  decision: Decision<RestoreState>,
  down: readonly Workload[],
): Decision<RestoreState> {
  if (before && isOver({ status: before })) return decision;
  const names = down.map(workloadText).join(", ");
  const message = `${names} stays scaled down: the volume is half written. It comes back when a later restore into the volume completes, or this one is deleted. To have it back after failures, set ${words.scaleUpOnFailure}.`;
  const note = { type: "Warning", reason: "WorkloadStaysDown", message } as const;
  return { ...decision, events: [...(decision.events ?? []), note] };
}

/** Whether something could not be scaled when that was tried last. */
export function isScalingRefused({ conditions }: RestoreState = {}): boolean {
  return conditions?.some(({ type, reason }) => type === "Ready" && reason === CANNOT_SCALE) ?? false;
}

/** What could not be scaled for a while hid how the restore had ended. */
function standingAgain(
  { restore, api, now }: RestoreView,
  status: RestoreState,
): Pick<RestoreState, "conditions"> {
  if (!isScalingRefused(status)) return {};
  return { conditions: conditionsFor({ ...restore, status }, readyStateOfEnded(status, api.words), [], now) };
}

/** What we may not read any more is not known to be back. */
export function notBroughtBack({ words, finalizer }: RestoreApi, hidden: readonly HiddenWorkload[]): Problem {
  const names = hidden.map(hiddenText).join(", ");
  const rule = scalingRule(hidden.map(({ resource }) => resource));
  const [done, doing] = hidden.every(isGitOps) ? ["paused", "have it go on"] : ["scaled down", "scale it up"];
  const message = `${names} was ${done} for this restore, and cannot be brought back: it may not be read. Grant the operator ${rule}; or ${doing} yourself, as ${words.scaledWorkloads} says, and remove the finalizer ${finalizer}.`;
  return blocked("WorkloadHidden", message);
}

function isGitOps({ resource }: HiddenWorkload): boolean {
  return GITOPS_KINDS.includes(resource);
}
