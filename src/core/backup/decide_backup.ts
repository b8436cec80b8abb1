import { timestamp } from "../../kube/write/timestamp.ts";
import type { Result } from "../../lib/result.ts";
import { soonest } from "../../lib/soonest.ts";
import type { Intent } from "../reconcile/decision.ts";
import type { Problem } from "../reconcile/problem.ts";
import { progressOf, shownProgress } from "../reconcile/progress.ts";
import { conditionsFor, newsOf, type ReadyState, readyStateOf, wakeFor } from "../reconcile/ready_state.ts";
import { recordOf, recordsOf } from "../reconcile/records.ts";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import { carryOut, type TaskPlan } from "../reconcile/task_plan.ts";
import { cut, readyStateOfTask, shownFailure, shownLog } from "../reconcile/task_words.ts";
import { START_DEADLINE } from "../work/late_to_start.ts";
import { FIRST_ATTEMPT, type RunRecord, renewed } from "../work/run_record.ts";
import type { EndedTask, TaskState } from "../work/task_decision.ts";
import type { BackupDecision, BackupObject, BackupRequest } from "./backup.ts";
import { isCancelled } from "./backup_annotations.ts";
import {
  type BackupFields,
  CANCELLED,
  endedFields,
  endOfBackup,
  MOST_LOG,
  progressWords,
  runFields,
  snapshotConditions,
} from "./backup_progress.ts";
import { type Copies, type CopiesDecision, decideCopies } from "./copies.ts";
import type { ObservedHooks } from "./gates.ts";
import { type ObservedLate, withLateRuns } from "./late_runs.ts";
import { withoutUIDs } from "./plan.ts";
import { SNAPSHOT } from "./snapshot_task.ts";
import { memoryOf, STAGING } from "./staging_memory.ts";
import { withClearing } from "./with_clearing.ts";
import { withHooks } from "./with_hooks.ts";

export interface ObservedBackup {
  readonly backup: BackupObject;
  /** What it asks for, by a plan that was made before or just now; or why there is no plan. */
  readonly request: Result<BackupRequest, Problem>;
  /** What follows for the run; or why there can be none. Absent without a plan. */
  readonly run?: Result<TaskPlan, Problem>;
  /** Nothing else stands before the run, which cannot be made: that has an end. Default false. */
  readonly blocked?: boolean;
  /** What its mover is to read. Absent while it does not matter. */
  readonly copies?: Copies;
  /** What is done around the capture. Absent where nothing is. */
  readonly hooks?: ObservedHooks;
  /** What may come late of its runs. Absent where nothing may. */
  readonly late?: ObservedLate;
  readonly now: number;
}

/** What follows for a backup that is not being deleted. */
export function decideBackup(observed: ObservedBackup): BackupDecision {
  const { backup, request } = observed;
  if (!request.ok) return isCancelled(backup) ? cancelledEarly(observed) : held(observed, request.error);
  const hold = missingHold(backup, request.value);
  if (hold) return { intents: [hold] };
  return withHooks(decideRun(observed, request.value), observed);
}

/** What follows from its run. */
function decideRun(observed: ObservedBackup, request: BackupRequest): BackupDecision {
  const { backup, run, copies, hooks, late, now } = observed;
  const cleaning = copies?.phase === "Over" ? copies.cleaning : undefined;
  if (!run?.ok) {
    const kept = recordOf(backup.status, SNAPSHOT);
    // What it came to is said, whatever becomes of its repository.
    if (kept && renewed(kept, specFingerprint(backup)).outcome) {
      return withClearing({ intents: [] }, backup, cleaning, now);
    }
    const idle = kept?.job === undefined;
    if (isCancelled(backup) && idle) return withClearing(cancelledEarly(observed), backup, cleaning, now);
    if (!run) return withClearing({ intents: [] }, backup, cleaning, now);
    const waiting = observed.blocked && idle;
    const decision = waiting ? blockedRun(observed, request, run.error) : held(observed, run.error);
    return withClearing(decision, backup, cleaning, now);
  }
  const { record, state } = run.value.decision;
  if (state.phase !== "Ended") return underWay(observed, run.value, request, state);
  const doing = carryOut(run.value);
  // The outcome was recorded before, and with it all that is to be said.
  const told =
    hooks?.memory?.end !== undefined || !["", "Running", "Pending"].includes(backup.status?.phase ?? "");
  if (!state.result && told) {
    return withLateRuns(withClearing<never>(doing, backup, cleaning, now), backup, late, now);
  }
  const work = { ...recordsOf(backup.status), [SNAPSHOT]: record };
  return decided(observed, endOfBackup(state), {
    ...doing,
    work,
    ...(state.outcome === "Succeeded" ? { plan: withoutUIDs(request.plan) } : {}),
    ...endedFields(observed, run.value, state),
  });
}

function underWay(
  observed: ObservedBackup,
  taskPlan: TaskPlan,
  request: BackupRequest,
  state: Exclude<TaskState, EndedTask>,
): BackupDecision {
  const { backup, now } = observed;
  const { record } = taskPlan.decision;
  const doing = carryOut(taskPlan);
  const copies = copiesOf(observed, state, request);
  const shown = copies.failure ?? shownFailure(backup.status?.failure, record.lastFailure, record, now);
  const progress = shownProgress(backup.status?.progress, progressOf(state), now, progressWords);
  const readyState = copies.readyState ?? readyStateOfTask(state, "backing up");
  const over = readyState.state === "stalled";
  const { [STAGING]: _, ...records } = recordsOf(backup.status);
  return decided(observed, readyState, {
    intents: [...doing.intents, ...copies.intents],
    wakeAt: soonest(doing.wakeAt, copies.wakeAt),
    work: {
      ...records,
      [SNAPSHOT]: over ? { ...record, outcome: "Failed" } : record,
      ...(copies.memory ? { [STAGING]: copies.memory } : {}),
    },
    phase: over ? "Failed" : record.startedAt === undefined ? "Pending" : "Running",
    ...runFields(taskPlan, now),
    ...(shown ? { failure: shown } : {}),
    ...(progress ? { progress } : {}),
    ...shownLog(backup.status, taskPlan.decision, MOST_LOG),
  });
}

function copiesOf(
  { backup, copies, now }: ObservedBackup,
  state: TaskState,
  { failurePolicy: { backoffLimit } }: BackupRequest,
): CopiesDecision {
  const memory = memoryOf(backup.status);
  if (!copies || copies.phase === "Over") return { ...(memory ? { memory } : {}), intents: [] };
  return decideCopies({ copies, state, backoffLimit, name: backup.metadata.uid, now });
}

type Fields = BackupFields & Partial<Omit<BackupDecision, "status">>;

function decided(observed: ObservedBackup, readyState: ReadyState, fields: Fields): BackupDecision {
  const { backup, request, now } = observed;
  const { intents = [], wakeAt, ...status } = fields;
  const { failure: _, progress: __, plan: ___, ...earlier } = backup.status ?? {};
  const { logTail: ____, ...others } = earlier;
  // What an attempt said that failed is of no use once another has succeeded.
  const kept = status.phase === "Succeeded" ? others : earlier;
  const { generation } = backup.metadata;
  return {
    status: {
      phase: "Pending",
      ...kept,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...(request.ok ? { plan: request.value.plan } : {}),
      ...status,
      conditions: conditionsFor(backup, readyState, snapshotConditions(status), now),
    },
    intents,
    events: newsOf(backup, readyState),
    wakeAt,
  };
}

function held(observed: ObservedBackup, problem: Problem): BackupDecision {
  return decided(observed, readyStateOf(problem), { wakeAt: wakeFor(problem, observed.now) });
}

/** It is waited for as long as a mover may take to start: then the backup has failed, and its schedule goes on. */
function blockedRun(
  observed: ObservedBackup,
  { failurePolicy }: BackupRequest,
  problem: Problem,
): BackupDecision {
  const { backup, now } = observed;
  const { place: _, ...record } = renewed(
    recordOf(backup.status, SNAPSHOT) ?? FIRST_ATTEMPT,
    specFingerprint(backup),
  );
  const { blockedSince = new Date(now).toISOString(), activeSince = record.startedAt ?? blockedSince } =
    record;
  const { startDeadlineSeconds = START_DEADLINE, activeDeadlineSeconds } = failurePolicy;
  const ends = [endOf(blockedSince, startDeadlineSeconds), endOf(activeSince, activeDeadlineSeconds)];
  const { at: deadline, seconds } = ends.reduce((a, b) => (b.at < a.at ? b : a));
  const remembered = (more: Partial<RunRecord>) => ({
    work: { ...recordsOf(backup.status), [SNAPSHOT]: { ...record, blockedSince, activeSince, ...more } },
  });
  if (now < deadline) {
    const wakeAt = soonest(wakeFor(problem, now), deadline);
    return decided(observed, readyStateOf(problem), { ...remembered({}), wakeAt });
  }
  const { reason } = problem;
  const message = `${problem.message} The run could not start within ${seconds} s. Create a new one to retry.`;
  const { attempt } = record;
  return decided(
    observed,
    { state: "stalled", reason, message },
    {
      ...remembered({ outcome: "Failed" }),
      phase: "Failed",
      failure: {
        errorClass: reason,
        message: cut(message, 1024),
        retry: "terminal",
        attempt,
        at: timestamp(now),
      },
    },
  );
}

function endOf(since: string, seconds: number) {
  return { at: Date.parse(since) + seconds * 1000, seconds };
}

/** It was to end before there was a run that could be told to. */
function cancelledEarly(observed: ObservedBackup): BackupDecision {
  const { backup } = observed;
  const record = renewed(recordOf(backup.status, SNAPSHOT) ?? FIRST_ATTEMPT, specFingerprint(backup));
  const { place: _, notBefore: __, ...kept } = record;
  const work = { ...recordsOf(backup.status), [SNAPSHOT]: { ...kept, outcome: "Cancelled" } };
  return decided(observed, CANCELLED, { phase: "Failed", work });
}

/** Before anything is made in the repository, the object must not be able to go without a word. */
function missingHold({ metadata }: BackupObject, { hold }: BackupRequest): Intent | undefined {
  const { finalizers = [], labels = {} } = metadata;
  const labelled = Object.entries(hold.labels).every(([name, value]) => labels[name] === value);
  return finalizers.includes(hold.finalizer) && labelled ? undefined : { type: "Hold", ...hold };
}
