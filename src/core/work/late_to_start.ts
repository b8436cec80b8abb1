import type { EngineFailure } from "../../wire/engine_error.ts";
import { ERROR_CLASSES } from "../../wire/error_classes.ts";
import { failedResult } from "./after_attempt.ts";
import type { EndedRun, LostRun, RunState } from "./run_state.ts";
import { isCancelled } from "./runs.ts";
import type { TaskDecision } from "./task_decision.ts";
import { LOOK_AGAIN, stateNow, type TaskLook } from "./task_view.ts";
import { isLive, reapIfDead } from "./tidy.ts";
import { noteUnseen } from "./unseen_runs.ts";

/** Until a mover has to have started, in seconds. */
export const START_DEADLINE = 600;

/** As much of a cause as a record keeps, in characters. */
const LONGEST_CAUSE = 700;

type After = (look: TaskLook, state: EndedRun | LostRun) => TaskDecision;

/**
 * What could start and did not in its time is ended: it holds a slot that others wait for, and perhaps a workload that was
 * quiesced for it. It is told to end first, and counts as failed once nothing of it can start any more. `after`: what
 * follows from the end of the current step.
 */
export function lateToStart(look: TaskLook, after: After): TaskDecision | undefined {
  const { record, state } = look;
  if (record.late) return ending(look, record.late, after);
  const neverLetGo = isIdle(state) && record.job === undefined;
  if (!isComingUp(state) || (neverLetGo && !look.gate.open)) return undefined;
  const failure = overdue(look);
  if (!failure) return undefined;
  return neverLetGo ? failed(look, failure, after) : ending(look, failure, after);
}

function ending(look: TaskLook, failure: EngineFailure, after: After): TaskDecision {
  const { state, run, now } = look;
  if (state.phase === "Ended" || (!isLive(run) && isEnding(look))) return failed(look, failure, after);
  const { job } = run;
  const record = { ...look.record, late: failure };
  return {
    record,
    state: stateNow({ ...look, record }),
    // Noted before it is done: whoever looks next knows why the mover ends.
    intents: [...(job && !isEnding(look) ? [{ type: "Cancel", job } as const] : []), ...reapIfDead(run)],
    wakeAt: now + LOOK_AGAIN,
  };
}

/** What it left, if it came to work after all, is looked for as after every failure. */
function failed(look: TaskLook, failure: EngineFailure, after: After): TaskDecision {
  const { state } = look;
  if (state.phase !== "Ended") {
    const result = failedResult(look, failure);
    return after(look, { phase: "Ended", result, source: "NotStarted", logTail: [] });
  }
  return after(noteUnseen(look), { ...state, result: { ...state.result, failure } });
}

/** Neither at work, nor over. */
function isComingUp({ phase }: RunState): boolean {
  return phase === "Absent" || phase === "Preparing" || phase === "Waiting";
}

/** Nothing of the run can start by itself. */
function isIdle(state: RunState): boolean {
  return state.phase === "Absent" || (state.phase === "Preparing" && state.suspended);
}

function isEnding({ run: { job } }: TaskLook): boolean {
  return !job || isCancelled(job) || job.metadata.deletionTimestamp !== undefined;
}

/** Why the mover is too late now; undefined while it is not. */
function overdue(look: TaskLook): EngineFailure | undefined {
  const { record, policy, deadline, now, run } = look;
  const seconds = policy.startDeadlineSeconds ?? START_DEADLINE;
  const clear = Date.parse(record.clearSince ?? "");
  if (policy.startBy && now >= policy.startBy.at) {
    return told("NotStarted", `The mover had not started ${policy.startBy.message}`, look);
  }
  if (now >= clear + seconds * 1000) {
    return told("NotStarted", `The mover did not start within ${seconds} s`, look);
  }
  const begun = run.job !== undefined || record.clearSince !== undefined;
  if (begun && record.step === "Work" && deadline !== undefined && now >= deadline) {
    return told("Deadline", "The mover had not started when the time for the work was over", look);
  }
  return undefined;
}

function told(kind: "NotStarted" | "Deadline", what: string, { state, refused }: TaskLook): EngineFailure {
  const cause = state.phase === "Waiting" ? `${state.reason}: ${state.message}` : refused;
  const message = cause === undefined ? `${what}.` : `${what}. ${cause}`;
  const short =
    message.length > LONGEST_CAUSE ? `${message.slice(0, LONGEST_CAUSE - 1).toWellFormed()}…` : message;
  return { class: kind, message: short, remedy: ERROR_CLASSES[kind].remedy };
}
