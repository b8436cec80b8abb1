import { unreachable } from "../../lib/result.ts";
import { ERROR_CLASSES } from "../../wire/error_classes.ts";
import { afterAttempt, failedResult, finish } from "./after_attempt.ts";
import { afterCleaning, afterSettling } from "./after_side_run.ts";
import { cancelling } from "./cancelling.ts";
import { lateToStart } from "./late_to_start.ts";
import { isStillToCome } from "./retry.ts";
import type { RunGate } from "./run_policy.ts";
import type { RunRecord } from "./run_record.ts";
import type { WaitingRun } from "./run_state.ts";
import { silent, straggling } from "./stuck_pods.ts";
import type { RunIntent, TaskDecision, TaskState } from "./task_decision.ts";
import { pastRuns } from "./task_requests.ts";
import { LOOK_AGAIN, lookAt, stateNow, type TaskLook, type TaskView } from "./task_view.ts";
import { tidyUp } from "./tidy.ts";
import { noteUnseen } from "./unseen_runs.ts";

/** Until a run that works is looked at again, though nothing tells of a change. */
const LOOK_AT_RUNNING = 60_000;

/**
 * What a task needs next. Pure. The caller writes the record, with the state, into the owner's status first, and
 * carries the intents out then: whatever it is stopped between, the next decision goes on from there.
 */
export function decideTask(view: TaskView): TaskDecision {
  const look = lookAt(view);
  const past = pastRuns(look.task, look.record);
  const passed = look.runs.filter(({ id }) => past.has(id));
  const tidying = passed.flatMap(tidyUp);
  const decision =
    closed(look) ??
    cancelling(look) ??
    silent(look) ??
    straggling(look, passed) ??
    lateToStart(look, AFTER[look.record.step]) ??
    step(look);
  return { ...decision, intents: [...tidying, ...decision.intents] };
}

function closed({ record, run }: TaskLook): TaskDecision | undefined {
  const { outcome } = record;
  if (!outcome) return undefined;
  return {
    record,
    state: { phase: "Ended", outcome, logTail: run.report.logTail, settled: false },
    intents: [],
  };
}

const AFTER = { Work: afterAttempt, Settle: afterSettling, CleanUp: afterCleaning } as const;

function step(look: TaskLook): TaskDecision {
  const { state, record } = look;
  switch (state.phase) {
    case "Absent":
      return begin(look);
    case "Preparing":
      return state.suspended ? letGo(look) : goesOn(look, LOOK_AGAIN);
    case "Waiting":
      return waits(look, state);
    case "Prepared":
      return prepared(look);
    case "Running":
      return goesOn(look, state.terminating ? LOOK_AGAIN : LOOK_AT_RUNNING);
    case "Ended":
    case "Lost":
      return AFTER[record.step](noteUnseen(look), state);
    default:
      return unreachable(state);
  }
}

/** Makes the step's Job, when its time has come and nothing holds it back. */
function begin(look: TaskLook): TaskDecision {
  const { gate, now, deadline, request } = look;
  const record = standing(look);
  const { notBefore, lastFailure } = record;
  if (notBefore !== undefined && isStillToCome(notBefore, now) && lastFailure) {
    const state: TaskState = { phase: "BackingOff", failure: lastFailure, until: notBefore };
    return { record, state, intents: [], wakeAt: Date.parse(notBefore) };
  }
  if (record.step === "Work" && deadline !== undefined && now >= deadline) {
    const message = `The time for the work was over before it succeeded${lastFailure ? `: ${lastFailure.message}` : ""}`;
    const failure = { class: "Deadline", message, remedy: ERROR_CLASSES.Deadline.remedy } as const;
    return finish(look, { outcome: "Failed", result: failedResult(look, failure), logTail: [] });
  }
  if (!gate.open) return heldBack(look, gate);
  return {
    record: active(look, { ...record, clearSince: record.clearSince ?? new Date(now).toISOString() }),
    state: stateNow(look),
    intents: [{ type: "Ensure", request }],
    wakeAt: now + LOOK_AGAIN,
  };
}

/** The time for all attempts counts from here, also while the first one waits for a Secret or an image. */
function active({ task, policy, now }: TaskLook, record: RunRecord): RunRecord {
  if (policy.activeDeadlineSeconds === undefined || task.startsBySignal) return record;
  return { ...record, activeSince: record.activeSince ?? record.startedAt ?? new Date(now).toISOString() };
}

function heldBack(look: TaskLook, gate: Extract<RunGate, { readonly open: false }>): TaskDecision {
  const { reason, message, patience = LOOK_AT_RUNNING } = gate;
  const state: TaskState = { phase: "Held", reason, message };
  const { clearSince: _, activeSince, ...record } = standing(look);
  // What waits before its first attempt has bounds of its own.
  const tried = record.failures > 0 || record.startedAt !== undefined;
  const kept = tried && activeSince !== undefined ? { ...record, activeSince } : record;
  return { record: kept, state, intents: [], wakeAt: look.now + patience };
}

/** A seat is held by the record alone until there is a Job. */
function standing({ record, place }: TaskLook): RunRecord {
  const { place: _, blockedSince: __, ...kept } = record;
  return place ? { ...kept, place } : kept;
}

/** The Job is let go once the record that names it has been kept. */
function letGo(look: TaskLook): TaskDecision {
  const { record, run, request, now, task } = look;
  const uid = run.job?.metadata.uid ?? "";
  if (record.job !== uid) return mayBegin(look, uid);
  const intents: RunIntent[] = [{ type: "Ensure", request, resume: { uid } }];
  const begun = task.startsBySignal ? record : started(look, record);
  return { record: begun, state: stateNow(look), intents, wakeAt: now + LOOK_AGAIN };
}

function started({ now }: TaskLook, record: RunRecord): RunRecord {
  return { ...record, startedAt: record.startedAt ?? new Date(now).toISOString() };
}

/** A mover that may have been told already is told again until it is seen to work: that does no harm. */
function prepared(look: TaskLook): TaskDecision {
  const { pod } = look.run;
  if (!look.start || !pod) return goesOn(look, LOOK_AT_RUNNING);
  const { record, ...decision } = goesOn(look, LOOK_AGAIN);
  return {
    ...decision,
    record: { ...started(look, record), signalled: true },
    intents: [{ type: "Start", pod }],
  };
}

/**
 * The gate may have shut since the Job was made. What was never let go is made anew then, as things are when it opens:
 * the volume and the snapshot of today are not those that somebody has in mind by then.
 */
function mayBegin(look: TaskLook, uid: string): TaskDecision {
  const { gate, place, run, now } = look;
  if (!gate.open)
    return { ...heldBack(look, gate), intents: run.job ? [{ type: "Remove", job: run.job }] : [] };
  const { record, ...decision } = noted(look, uid);
  return { ...decision, record: place ? { ...record, place } : record, wakeAt: now };
}

/**
 * An account of ours that was taken away is made again: the cluster itself goes on trying to make the pod. One that
 * somebody has named is theirs to make.
 */
function waits(look: TaskLook, { reason }: WaitingRun): TaskDecision {
  const decision = goesOn(look, LOOK_AGAIN);
  const { mover, namespace } = look.request;
  if (reason !== "ServiceAccountMissing" || mover.serviceAccountName !== undefined) return decision;
  return { ...decision, intents: [...decision.intents, { type: "Account", namespace }] };
}

function goesOn(look: TaskLook, again: number): TaskDecision {
  const { run, now, record } = look;
  const uid = run.job?.metadata.uid;
  const decision =
    uid && record.job === undefined ? noted(look, uid) : { record, state: stateNow(look), intents: [] };
  return { ...decision, wakeAt: now + again };
}

function noted(look: TaskLook, job: string): TaskDecision {
  return { record: { ...look.record, job }, state: stateNow(look), intents: [] };
}
