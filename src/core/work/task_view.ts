import { NOTHING_HEARD } from "./heard_report.ts";
import type { ObservedRun } from "./observed_run.ts";
import type { Place } from "./queue/place.ts";
import type { RunGate, RunPolicy } from "./run_policy.ts";
import { FIRST_ATTEMPT, type RunRecord, renewed } from "./run_record.ts";
import type { RunRequest, RunTask } from "./run_request.ts";
import type { RunState } from "./run_state.ts";
import { stateOfRun } from "./state_of_run.ts";
import type { TaskState } from "./task_decision.ts";
import { attemptId, currentRequest } from "./task_requests.ts";

/** Until a run that is on its way is looked at again, though nothing tells of a change. */
export const LOOK_AGAIN = 10_000;

/** What is decided from. */
export interface TaskView {
  readonly task: RunTask;
  readonly policy: RunPolicy;
  /** As it is kept in the owner's status; absent at first. */
  readonly record?: RunRecord;
  /** Changes with every edit of the owner. Default: edits change nothing. */
  readonly edition?: string | undefined;
  /** Every run of the owner that can be seen, also those of its other tasks. */
  readonly runs: readonly ObservedRun[];
  /** Default: open. */
  readonly gate?: RunGate;
  /** Where the run stands at its repository: noted in the record while there is no Job. Default: nowhere. */
  readonly place?: Place;
  /** The owner wants a task that starts by signal to start; it stays true for later attempts. Default false. */
  readonly start?: boolean;
  /** Why the Job could not be made or let go when that was last tried, as the owner's status has it. */
  readonly refused?: string | undefined;
  /** Somebody wants the task to end. Default false. */
  readonly cancel?: boolean;
  /** Wall time in milliseconds since 1970. */
  readonly now: number;
}

/** The view, with what follows from it at once. */
export interface TaskLook extends TaskView {
  readonly record: RunRecord;
  readonly gate: RunGate;
  readonly cancel: boolean;
  readonly request: RunRequest;
  /** The run of the current step. */
  readonly run: ObservedRun;
  readonly state: RunState;
  /** When the time for all attempts is over. */
  readonly deadline?: number;
}

export function lookAt(view: TaskView): TaskLook {
  const { task, policy, gate = { open: true }, cancel = false, now } = view;
  const record = presentRecord(view);
  const { activeDeadlineSeconds: seconds } = policy;
  const since = record.activeSince ?? record.startedAt;
  const begun = since === undefined ? undefined : Date.parse(since);
  const deadline = seconds === undefined ? undefined : (begun ?? now) + seconds * 1000;
  const remaining = deadline === undefined ? undefined : Math.max(1, Math.ceil((deadline - now) / 1000));
  const request = currentRequest(task, record, remaining);
  const run: ObservedRun = view.runs.find(({ id }) => id === request.id) ?? {
    id: request.id,
    report: NOTHING_HEARD,
    events: [],
  };
  return {
    ...view,
    record,
    gate,
    cancel,
    request,
    run,
    state: stateOf(run, record),
    ...(deadline === undefined || begun === undefined ? {} : { deadline }),
  };
}

/** An edit that comes when the attempt's Job is there already, though nobody has noted it yet, counts after its end. */
function presentRecord({ task, record = FIRST_ATTEMPT, edition, runs }: TaskView): RunRecord {
  const begun = record.edition !== undefined && record.outcome === undefined;
  const { id } = currentRequest(task, record);
  return begun && runs.some((run) => run.id === id && run.job) ? record : renewed(record, edition);
}

/** A Job that is noted in the record is not made again: what became of it is not known. */
function stateOf(run: ObservedRun, record: RunRecord): RunState {
  const state = stateOfRun(run);
  const other = run.job !== undefined && record.job !== undefined && run.job.metadata.uid !== record.job;
  if (record.job === undefined || !(state.phase === "Absent" || other)) return state;
  const message = "The run's Job was deleted before its end was seen";
  return { phase: "Lost", why: "JobGone", message, logTail: run.report.logTail, unseen: true };
}

/** The state of a task whose run goes on. */
export function stateNow({ task, record, request, state }: TaskLook): TaskState {
  const run = request.id;
  if (record.step === "Work") return { phase: "Working", run, state };
  return { phase: "Settling", run, about: attemptId(task, record.attempt), state };
}
