import type { EventNote } from "../../kube/write/events.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import type { EngineFailure } from "../../wire/engine_error.ts";
import type { MaintainAnswer } from "../../wire/report.ts";
import type { Problem } from "../reconcile/problem.ts";
import { cut, statusFailure, statusLog } from "../reconcile/task_words.ts";
import { timingOf } from "../reconcile/timing.ts";
import type { RunRecord } from "../work/run_record.ts";
import type { EndedTask } from "../work/task_decision.ts";
import { type BackupOf, checkOf } from "./check_status.ts";
import type { Maintenance, MaintenanceState, RunTimes, Which } from "./maintenance.ts";
import { type MaintenanceMemory, type MaintenanceRun, whichOf } from "./maintenance_run.ts";
import { seenOwner } from "./ownership.ts";
import { dataPercentOf } from "./run_task.ts";

export interface EndedStep {
  readonly maintenance: Maintenance;
  readonly memory: MaintenanceMemory;
  readonly run: MaintenanceRun;
  readonly record: RunRecord;
  readonly state: EndedTask;
  /** Why it was given up, where nobody asked for its end. */
  readonly refusal?: Problem | undefined;
  /** What stands for a snapshot, as namespace/name, if there is one. */
  readonly backupOf: BackupOf;
  readonly now: number;
}

/** What the end of a step means: for the status, and for what comes next. */
export interface RunEnd {
  readonly status: MaintenanceState;
  readonly memory: MaintenanceMemory;
  readonly events: readonly EventNote[];
}

/** What was found out is kept, also where the step failed in the end. */
export function runEnd(ended: EndedStep): RunEnd {
  if (ended.run.snapshot !== undefined) return verified(ended, ended.run.snapshot);
  return ended.run.step === "Check" ? checked(ended) : maintained(ended);
}

function maintained(ended: EndedStep): RunEnd {
  const { maintenance, memory, run, state, now } = ended;
  const answer: MaintainAnswer =
    state.result?.answer && "maintain" in state.result.answer ? state.result.answer.maintain : {};
  const learned = {
    ...settledBefore(ended),
    ...seenMeanwhile(ended, answer),
    ...ownership(ended, answer),
    ...locks(maintenance, answer),
  };
  if (state.outcome !== "Succeeded") return { memory, events: [], status: failed(ended, learned) };
  const which = whichOf(run);
  const { freedBytes } = answer;
  const times = {
    ...withoutReclaimed(timesOf(ended)),
    lastSuccessAt: timestamp(now),
    consecutiveFailures: 0,
  };
  return {
    status: {
      ...learned,
      [which]: freedBytes === undefined ? times : { ...times, lastContentReclaimedBytes: freedBytes },
    },
    memory: { ...memory, turn: afterMaintain(maintenance, run), marks: marksAfter(ended) },
    events: [{ type: "Normal", reason: "Maintained", message: reclaimed(which, freedBytes) }],
  };
}

/** What the check after maintenance found; or that maintenance itself met damage. */
function seenMeanwhile(
  { state: { result }, backupOf, now }: EndedStep,
  { check }: MaintainAnswer,
): MaintenanceState {
  const damage = result?.failure?.class === "Corrupt" ? [result.failure.message] : [];
  const problems = check && check.problems.length > 0 ? check.problems : damage;
  if (!check && problems.length === 0) return {};
  return { lastCheck: checkOf({ ...check, problems }, { backupOf, dataPercent: 0, now }) };
}

function checked(ended: EndedStep): RunEnd {
  const { maintenance, memory, run, state, backupOf, now } = ended;
  const before = settledBefore(ended);
  const facts = { backupOf, dataPercent: dataPercentOf(maintenance, run), now };
  if (state.outcome === "Succeeded") {
    const next: MaintenanceRun = run.checkFirst ? { ...run, step: "Maintain" } : run;
    return {
      status: { ...before, lastCheck: checkOf({ problems: [] }, facts) },
      memory: { ...memory, turn: next },
      events: [],
    };
  }
  const failure = state.result?.failure;
  if (failure?.class !== "Corrupt") return { status: failed(ended, before), memory, events: [] };
  const answer = state.result?.answer;
  const found = answer && "check" in answer ? answer.check : { problems: [] };
  const problems = found.problems.length > 0 ? found.problems : [failure.message];
  const lastCheck = checkOf({ ...found, problems }, facts);
  return { status: { ...before, lastCheck }, memory, events: [] };
}

/** One snapshot was read. That it is whole says nothing of the others; that it is not is damage of the repository. */
function verified(ended: EndedStep, snapshotID: string): RunEnd {
  const { memory, run, state, backupOf, now } = ended;
  const before = settledBefore(ended);
  const { result } = state;
  const answer = result?.answer && "verify" in result.answer ? result.answer.verify : { problems: [] };
  const damaged = result?.failure?.class === "Corrupt";
  if (state.outcome !== "Succeeded" && !damaged) return { status: failed(ended, before), memory, events: [] };
  const at = new Date(now).toISOString();
  const { files } = answer;
  const counted = files === undefined ? {} : { files };
  const lastVerification = { at, snapshotID: cut(snapshotID, 64), healthy: !damaged, ...counted };
  if (!damaged)
    return { status: { ...before, lastVerification }, memory: { ...memory, turn: run }, events: [] };
  const problems = answer.problems.length > 0 ? answer.problems : [result.failure?.message ?? ""];
  const lastCheck = checkOf({ problems }, { backupOf, dataPercent: 100, now });
  return { status: { ...before, lastVerification, lastCheck }, memory, events: [] };
}

/** The status without what an earlier run left there, and with the last lines of this one, however it ended. */
function settledBefore({ maintenance, state }: EndedStep): MaintenanceState {
  const { failure: _, logTail: __, ...kept } = maintenance.status ?? {};
  const logTail = statusLog(state.logTail);
  return { ...kept, ...(logTail ? { logTail } : {}) };
}

function ownership({ maintenance, state, now }: EndedStep, answer: MaintainAnswer): MaintenanceState {
  const ours = maintenance.spec.ownership.owner;
  const owner = answer.owner ?? (state.outcome === "Succeeded" ? ours : undefined);
  if (owner === undefined) return {};
  return { ownership: seenOwner(maintenance.status?.ownership, cut(owner, 253), owner === ours, now) };
}

function locks({ status }: Maintenance, { locksRemoved = 0 }: MaintainAnswer): MaintenanceState {
  return locksRemoved === 0 ? {} : { locksRemoved: (status?.locksRemoved ?? 0) + locksRemoved };
}

/** That somebody else maintains the repository, or that somebody ended the run, is no failure of the schedule. */
function failed(ended: EndedStep, status: MaintenanceState): MaintenanceState {
  const { run, record, state, refusal, now } = ended;
  if (refusal && state.outcome === "Cancelled") return { ...status, failure: refusedFailure(refusal, now) };
  const failure = state.result?.failure ?? record.lastFailure;
  if (!failure || isNoFailure(failure)) return status;
  const shown = { failure: statusFailure(failure, record, now) };
  // A check that follows a run cannot undo its success.
  if (run.step === "Check" && !run.checkFirst) return { ...status, ...shown };
  const times = timesOf(ended);
  const consecutiveFailures = (times.consecutiveFailures ?? 0) + 1;
  return { ...status, ...shown, [whichOf(run)]: { ...times, consecutiveFailures } };
}

function refusedFailure({ reason: errorClass, message, class: retry }: Problem, now: number) {
  return { errorClass, message, retry, at: timestamp(now) };
}

function isNoFailure({ class: errorClass }: EngineFailure): boolean {
  return errorClass === "OwnedByAnother" || errorClass === "Cancelled";
}

function timesOf({ maintenance, run, record, state, now }: EndedStep): RunTimes {
  const { startTime, durationSeconds } = timingOf(record, state.result, now) ?? {};
  return {
    ...maintenance.status?.[whichOf(run)],
    ...(startTime ? { lastRunAt: startTime } : {}),
    ...(durationSeconds === undefined ? {} : { lastDurationSeconds: durationSeconds }),
  };
}

function withoutReclaimed({ lastContentReclaimedBytes: _, ...times }: RunTimes): RunTimes {
  return times;
}

function afterMaintain({ spec }: Maintenance, run: MaintenanceRun): MaintenanceRun {
  const wantsCheck = run.mode === "Full" && spec.check.afterFull && !run.checkFirst;
  return wantsCheck ? { ...run, step: "Check" } : run;
}

/** A full run did what the quick ones would have done that came due meanwhile. */
function marksAfter({ memory: { marks }, run, now }: EndedStep): MaintenanceMemory["marks"] {
  const { quick } = marks;
  if (run.mode !== "Full" || !quick) return marks;
  return { ...marks, quick: { ...quick, slot: Math.max(quick.slot, now) } };
}

function reclaimed(which: Which, bytes: number | undefined): string {
  const more = bytes === undefined ? "" : `, and gave back ${bytes} bytes of storage`;
  return `The ${which} run succeeded${more}.`;
}
