import type { RunRecord } from "../../../core/work/run_record.ts";
import type { EndedTask } from "../../../core/work/task_decision.ts";
import type { Maintenance, MaintenanceStatus } from "../../../kinds/kopiur/generated/maintenance.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import type { EngineFailure } from "../../../wire/engine_error.ts";
import type { MaintainAnswer } from "../../../wire/report.ts";
import type { Problem } from "../problem.ts";
import { cut, statusFailure, statusLog } from "../run_words.ts";
import { timingOf } from "../timing.ts";
import { type BackupOf, checkOf } from "./check_status.ts";
import { ownerOf, seenOwner } from "./ownership.ts";
import { type MaintenanceMemory, type Turn, type Which, whichOf } from "./turn.ts";

export interface EndedStep {
  readonly maintenance: Maintenance;
  readonly memory: MaintenanceMemory;
  readonly turn: Turn;
  readonly record: RunRecord;
  readonly state: EndedTask;
  /** Why it was given up, where nobody asked for its end. */
  readonly refusal?: Problem | undefined;
  /** The Backup that stands for a snapshot, as namespace/name, if there is one. */
  readonly backupOf: BackupOf;
  readonly now: number;
}

/** What the end of a step means: for the status, and for what comes next. */
export interface TurnEnd {
  readonly status: MaintenanceStatus;
  readonly memory: MaintenanceMemory;
  readonly events: readonly EventNote[];
}

type Times = NonNullable<MaintenanceStatus[Which]>;

/** What was found out is kept, also where the step failed in the end. */
export function turnEnd(ended: EndedStep): TurnEnd {
  return ended.turn.step === "Check" ? checked(ended) : maintained(ended);
}

function maintained(ended: EndedStep): TurnEnd {
  const { maintenance, memory, turn, state, now } = ended;
  const answer: MaintainAnswer =
    state.result?.answer && "maintain" in state.result.answer ? state.result.answer.maintain : {};
  const learned = {
    ...settledBefore(maintenance),
    ...seenMeanwhile(ended, answer),
    ...ownership(ended, answer),
    ...locks(maintenance, answer),
  };
  if (state.outcome !== "Succeeded") return { memory, events: [], status: failed(ended, learned) };
  const which = whichOf(turn);
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
    memory: { ...memory, turn: afterMaintain(maintenance, turn), marks: marksAfter(ended) },
    events: [{ type: "Normal", reason: "Maintained", message: reclaimed(which, freedBytes) }],
  };
}

/** What the check after maintenance found; or that maintenance itself met damage. */
function seenMeanwhile(
  { state: { result }, backupOf, now }: EndedStep,
  { check }: MaintainAnswer,
): MaintenanceStatus {
  const damage = result?.failure?.class === "Corrupt" ? [result.failure.message] : [];
  const problems = check && check.problems.length > 0 ? check.problems : damage;
  if (!check && problems.length === 0) return {};
  return { lastCheck: checkOf({ ...check, problems }, { backupOf, now }) };
}

function checked(ended: EndedStep): TurnEnd {
  const { maintenance, memory, turn, state, backupOf, now } = ended;
  const before = settledBefore(maintenance);
  if (state.outcome === "Succeeded") {
    const next: Turn = turn.checkFirst ? { ...turn, step: "Maintain" } : turn;
    return {
      status: { ...before, lastCheck: checkOf({ problems: [] }, { backupOf, now }) },
      memory: { ...memory, turn: next },
      events: [],
    };
  }
  const failure = state.result?.failure;
  if (failure?.class !== "Corrupt") return { status: failed(ended, before), memory, events: [] };
  const answer = state.result?.answer;
  const found = answer && "check" in answer ? answer.check : { problems: [] };
  const problems = found.problems.length > 0 ? found.problems : [failure.message];
  const lastCheck = checkOf({ ...found, problems }, { backupOf, now });
  return { status: { ...before, lastCheck }, memory, events: [] };
}

/** The status without what an earlier failure left there. */
function settledBefore({ status }: Maintenance): MaintenanceStatus {
  const { failure: _, logTail: __, ...kept } = status ?? {};
  return kept;
}

function ownership({ maintenance, state, now }: EndedStep, answer: MaintainAnswer): MaintenanceStatus {
  const ours = ownerOf(maintenance);
  const owner = answer.owner ?? (state.outcome === "Succeeded" ? ours : undefined);
  if (owner === undefined) return {};
  return { ownership: seenOwner(maintenance.status?.ownership, cut(owner, 253), owner === ours, now) };
}

function locks({ status }: Maintenance, { locksRemoved = 0 }: MaintainAnswer): MaintenanceStatus {
  return locksRemoved === 0 ? {} : { locksRemoved: (status?.locksRemoved ?? 0) + locksRemoved };
}

/** That somebody else maintains the repository, or that somebody ended the run, is no failure of the schedule. */
function failed(ended: EndedStep, status: MaintenanceStatus): MaintenanceStatus {
  const { turn, record, state, refusal, now } = ended;
  if (refusal && state.outcome === "Cancelled") return { ...status, failure: refusedFailure(refusal, now) };
  const failure = state.result?.failure ?? record.lastFailure;
  if (!failure || isNoFailure(failure)) return status;
  const logTail = statusLog(state.logTail);
  const shown = { failure: statusFailure(failure, record, now), ...(logTail ? { logTail } : {}) };
  // A check that follows a run cannot undo its success.
  if (turn.step === "Check" && !turn.checkFirst) return { ...status, ...shown };
  const times = timesOf(ended);
  const consecutiveFailures = (times.consecutiveFailures ?? 0) + 1;
  return { ...status, ...shown, [whichOf(turn)]: { ...times, consecutiveFailures } };
}

function refusedFailure({ reason: errorClass, message, class: retry }: Problem, now: number) {
  return { errorClass, message, retry, at: timestamp(now) };
}

function isNoFailure({ class: errorClass }: EngineFailure): boolean {
  return errorClass === "OwnedByAnother" || errorClass === "Cancelled";
}

function timesOf({ maintenance, turn, record, state, now }: EndedStep): Times {
  const { startTime, durationSeconds } = timingOf(record, state.result, now) ?? {};
  return {
    ...maintenance.status?.[whichOf(turn)],
    ...(startTime ? { lastRunAt: startTime } : {}),
    ...(durationSeconds === undefined ? {} : { lastDurationSeconds: durationSeconds }),
  };
}

function withoutReclaimed({ lastContentReclaimedBytes: _, ...times }: Times): Times {
  return times;
}

function afterMaintain({ spec }: Maintenance, turn: Turn): Turn {
  const wantsCheck = turn.mode === "Full" && spec.check.afterFull && !turn.checkFirst;
  return wantsCheck ? { ...turn, step: "Check" } : turn;
}

/** A full turn did what the quick ones would have done that came due meanwhile. */
function marksAfter({ memory: { marks }, turn, now }: EndedStep): MaintenanceMemory["marks"] {
  const { quick } = marks;
  if (turn.mode !== "Full" || !quick) return marks;
  return { ...marks, quick: { ...quick, slot: Math.max(quick.slot, now) } };
}

function reclaimed(which: Which, bytes: number | undefined): string {
  const run = `The ${which} run succeeded`;
  return bytes === undefined ? `${run}.` : `${run}, and gave back ${bytes} bytes of storage.`;
}
