import { mergeConditions } from "../../kube/write/conditions.ts";
import { soonest } from "../../lib/soonest.ts";
import { blockedRun } from "../reconcile/blocked_run.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import type { Decision } from "../reconcile/decision.ts";
import type { Problem } from "../reconcile/problem.ts";
import { isSaid } from "../reconcile/ready_state.ts";
import { recordOf, recordsOf } from "../reconcile/records.ts";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import { carryOut, type TaskPlan } from "../reconcile/task_plan.ts";
import { FIRST_ATTEMPT, renewed } from "../work/run_record.ts";
import type { UseDecision } from "../workloads/scaling/decide_use.ts";
import { type Clearance, clearance, isScalingRefused, LOOK_FOR_USERS } from "./in_place.ts";
import { HANDING_OVER } from "./new_claim.ts";
import type { ObservedRestore } from "./observe_restore.ts";
import { asItStands } from "./reserving.ts";
import { holdsFromStart, type Restore, type RestoreState, type RestoreView, targetName } from "./restore.ts";
import { decided, missing, type RestoreFields, withoutRun } from "./restore_decision.ts";
import { hasBegun, isOver, isWriting } from "./restore_stage.ts";
import { howAgain, readyStateOfRestore, restoreFields } from "./restore_status.ts";
import { RESTORE, repositoryAway } from "./restore_tasks.ts";

/** The data is written, once nobody else has the volume. */
export function writtenWhenFree(observed: ObservedRestore, place: RestoreFields): Decision<RestoreState> {
  const { run, use } = observed;
  const needed = use && run?.ok && isHeldBy(run.value, use) ? clearance(observed, use) : undefined;
  if (!needed) return written(observed, place);
  if (!run?.ok) return cleared(observed, place, needed);
  const { task, decision } = run.value;
  const work = { [task.purpose]: decision.record };
  const tidying = carryOut(run.value).intents;
  return cleared(observed, { ...place, work }, { ...needed, intents: [...tidying, ...needed.intents] });
}

/** What is in the way of the volume goes first. */
export function cleared(
  observed: ObservedRestore,
  place: RestoreFields,
  { readyState, ...fields }: Clearance,
): Decision<RestoreState> {
  const phase = observed.restore.status?.phase === "Restoring" ? "Restoring" : "Pending";
  const decision = decided(observed, readyState, { ...place, phase, ...fields });
  const refused = fields.scaledWorkloads !== undefined && isScalingRefused(observed.restore.status);
  return refused ? asItStands(observed, decision) : decision;
}

/** Nothing else is in the way of the run: a workload is not scaled down for a repository that is away. */
function isHeldBy({ decision }: TaskPlan, use: UseDecision): boolean {
  const { state } = decision;
  return use.type !== "Free" && state.phase === "Held" && state.reason === use.reason;
}

function written(observed: ObservedRestore, place: RestoreFields): Decision<RestoreState> {
  const { restore, run } = observed;
  if (!run) return { intents: [] };
  if (!run.ok) {
    const known = recordOf(restore.status, RESTORE);
    if (keepsDown(restore) && !run.error.away && !isWriting(restore))
      return withoutRunForLong(observed, run.error, place);
    // As long as a Job writes, this is not over: the snapshot is read, and workloads are kept away.
    const fields = isWriting(restore) ? { ...place, phase: "Restoring" as const } : place;
    return withoutRun(observed, run.error, hasBegun(known), fields);
  }
  const { state, record } = run.value.decision;
  const work = { [run.value.task.purpose]: record };
  const fields = { ...carryOut(run.value), ...place, work, ...restoreFields(observed, run.value) };
  const away = repositoryAway(run.value, hasBegun(record));
  if (away) return missing(observed, away, fields);
  if (fields.phase === "Completed" && observed.through)
    return decided(observed, HANDING_OVER, { ...fields, phase: "Restoring", wakeAt: observed.now });
  return decided(observed, readyStateOfRestore(state, "writing the data", observed.api.words), fields);
}

/** Whether workloads are at zero for it. Those that are held from the start wait for the data, however long that takes. */
function keepsDown(restore: Restore): boolean {
  return (restore.status?.scaledWorkloads ?? []).length > 0 && !holdsFromStart(restore);
}

/** What is at zero for a run that cannot be made does not stay so without end. */
function withoutRunForLong(
  observed: ObservedRestore,
  problem: Problem,
  place: RestoreFields,
): Decision<RestoreState> {
  const { restore, now } = observed;
  const { failurePolicy: policy } = restore.spec;
  const known = renewed(recordOf(restore.status, RESTORE) ?? FIRST_ATTEMPT, specFingerprint(restore));
  const again = howAgain(observed.api.words);
  const { record, readyState, wakeAt, failure } = blockedRun({ record: known, policy, problem, again, now });
  return decided(observed, readyState, {
    ...place,
    work: { ...recordsOf(restore.status), [RESTORE]: record },
    ...(failure ? { phase: "Failed", failure } : { phase: "Pending" }),
    wakeAt,
  });
}

/**
 * The decision, with what follows when somebody gets the volume while it is written: a run that has begun is not
 * stopped, but what was scaled down goes down again, and that there was somebody stays said.
 */
export function watched(
  observed: RestoreView & { readonly use?: UseDecision },
  decision: Decision<RestoreState>,
): Decision<RestoreState> {
  const { restore, use, now } = observed;
  if (!decision.status || !use || !isWriting(restore)) return decision;
  const over = isOver(decision);
  const again = over ? {} : { wakeAt: soonest(decision.wakeAt, now + LOOK_FOR_USERS) };
  const cleared = use.type === "Scale" && !over ? clearance(observed, use) : undefined;
  const { scaledWorkloads, pausedGitOps } = cleared ?? {};
  const said = cleared && isScalingRefused(restore.status) ? asItStands(observed, decision) : decision;
  const { status = {}, events = [] } = said;
  return {
    ...said,
    ...again,
    status: {
      ...status,
      ...(scaledWorkloads ? { scaledWorkloads } : {}),
      ...(pausedGitOps ? { pausedGitOps } : {}),
      ...told(observed, status, use),
    },
    // Where a workload refuses to be scaled, the run is looked after all the same.
    intents: [...decision.intents, ...(cleared?.intents ?? [])],
    events: [...events, ...news(observed, use)],
  };
}

function told(
  { restore, now }: { readonly restore: Restore; readonly now: number },
  { conditions = [] }: RestoreState,
  use: UseDecision,
): Pick<RestoreState, "conditions"> {
  const message = messageOf(restore, use);
  if (message === undefined) return {};
  const { generation } = restore.metadata;
  const wanted = {
    type: CONDITIONS.volumeModifiedDuringRestore,
    status: "True",
    reason: "Used",
    message,
  } as const;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  return { conditions: mergeConditions(conditions, [{ ...wanted, ...observed }], now) };
}

function news({ restore }: { readonly restore: Restore }, use: UseDecision): Decision<never>["events"] & {} {
  const type = CONDITIONS.volumeModifiedDuringRestore;
  const message = messageOf(restore, use);
  const before = restore.status?.conditions?.find((one) => one.type === type);
  if (message === undefined || (before && isSaid(message, before.message))) return [];
  return [{ type: "Warning", reason: type, message }];
}

function messageOf(restore: Restore, use: UseDecision): string | undefined {
  if ((use.type !== "InUse" && use.type !== "Scale") || use.who === undefined) return undefined;
  const scaled = use.type === "Scale" ? " It is scaled down again." : "";
  return `${use.who} came back to PersistentVolumeClaim ${targetName(restore) ?? ""} while the data was written, so that neither is sure to have what it should.${scaled} Suspend what starts it (GitOps, an autoscaler), and restore once more.`;
}
