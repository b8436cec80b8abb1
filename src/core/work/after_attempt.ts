import type { EngineFailure } from "../../wire/engine_error.ts";
import { ERROR_CLASSES, retryOfRun } from "../../wire/error_classes.ts";
import { REPORT_VERSION, type Result } from "../../wire/report.ts";
import type { Owner } from "../../wire/snapshot.ts";
import { contactAfter } from "./queue/contact.ts";
import { retryDelay } from "./retry.ts";
import { FOREVER } from "./run_policy.ts";
import { type RunOutcome, type RunRecord, withoutStep } from "./run_record.ts";
import type { EndedRun, LostRun } from "./run_state.ts";
import { lacksSnapshots, mayHaveLeft, mayReferBack } from "./settlement.ts";
import type { TaskDecision } from "./task_decision.ts";
import { attemptId, currentRequest } from "./task_requests.ts";
import type { TaskLook } from "./task_view.ts";

const DEFAULT_BACKOFF_LIMIT = 2;
const MAX_LEFTOVERS = 20;
/** A lock is looked at again after no longer than so many failures would take: a few minutes. */
const LOCKED_TIMES = 4;

/** What follows from the end of an attempt at the task itself. */
export function afterAttempt(look: TaskLook, state: EndedRun | LostRun): TaskDecision {
  const met = { ...look, record: withContact(look, state) };
  if (state.phase === "Ended" && !state.result.failure) {
    if (!lacksSnapshots(look.task, state.result))
      return finish(met, { outcome: "Succeeded", result: state.result, logTail: state.logTail });
    // Where the repository may not find all that was left out, the attempt counts as failed.
    if (!mayReferBack(look.task)) return { ...toStep(met, "Settle", look.now), lastLog: state.logTail };
  }
  const failure = failureOf(state);
  const told = state.phase === "Ended" && state.source === "Report" && state.result.failure !== undefined;
  const owner = ownerLearnt(look, failure);
  const counts = !isFailedProbe(met.record) && !isLockedOut(failure) && !owner;
  const failures = look.record.failures + (counts ? 1 : 0);
  const failedAttempt = look.record.attempt;
  const failed = { ...met.record, failures, lastFailure: failure, failedAttempt, reported: told };
  const later = { ...look, record: owner ? { ...failed, owner } : failed };
  const left = mayHaveLeft(look.task, state, look.record);
  // The truth is worth knowing although nothing is tried again; a failure that was reported is the truth.
  const lastLog = state.logTail;
  if (left && !told) return { ...toStep(later, "Settle", look.now), lastLog };
  const retryAt = owner ? look.now : nextAttemptAt(later);
  if (retryAt === undefined) {
    const result = resultOf(look, state);
    return finish(later, { outcome: "Failed", result, logTail: state.logTail, left });
  }
  return { ...(left ? toStep(later, "Settle", retryAt) : toAttempt(later, retryAt)), lastLog };
}

/** The record, with what the attempt's end says of the storage. */
function withContact({ task, record, now }: TaskLook, state: EndedRun | LostRun): RunRecord {
  const { contact: before, ...kept } = record;
  if (task.pool === undefined) return kept;
  const failure = state.phase === "Ended" ? state.result.failure?.class : "Interrupted";
  // What a check or maintenance finds stands in its own answer.
  const looked = ["check", "verify", "maintain"].some((work) => work in task.work.work);
  if (looked && failure === "Corrupt") return kept;
  const contact = contactAfter({ pool: task.pool, failure, before, now });
  return contact ? { ...kept, contact } : kept;
}

/** As whom the next attempt can run, where nobody knew it before. */
function ownerLearnt({ record, policy }: TaskLook, { owner }: EngineFailure): Owner | undefined {
  return owner && !record.owner && policy.canRunAs?.(owner) ? owner : undefined;
}

/** It only looked whether the storage was back. */
function isFailedProbe({ place, contact }: RunRecord): boolean {
  return place?.probe === true && contact?.failure !== undefined;
}

/**
 * Somebody else has the repository for himself. That is no failure of the work, and only the deadline ends the waiting.
 * Mostly it passes: who ends gives the lock back, and a mover removes that of one who died, perhaps with his whole
 * cluster, once it is old. Where an engine has no locks to remove, whoever began what is in the way must end it.
 */
function isLockedOut(failure: EngineFailure | undefined): boolean {
  return failure?.class === "Locked";
}

/** When the next attempt may begin; undefined when there is none. `waited`: what had to be waited for has passed. */
export function nextAttemptAt(look: TaskLook, waited = false): number | undefined {
  const { record, policy, now, deadline, request } = look;
  const { failures, lastFailure, contact } = record;
  if (isFailedProbe(record)) {
    const delay = retryDelay({ retry: "transient", failures: contact?.setbacks ?? 1, run: request.id }) ?? 0;
    return now + delay;
  }
  const locked = isLockedOut(lastFailure);
  // Nothing has failed since it was wanted anew.
  if (failures === 0 && !locked) return now;
  if (!lastFailure || (failures > (policy.backoffLimit ?? DEFAULT_BACKOFF_LIMIT) && !locked))
    return undefined;
  // The failure itself said as whom the next attempt can read everything.
  if (lastFailure.owner && lastFailure.owner.uid === record.owner?.uid) return now;
  const patient = policy.backoffLimit === FOREVER.backoffLimit;
  const retry = patient ? ERROR_CLASSES[lastFailure.class].retry : retryOfRun(lastFailure.class);
  const times = locked ? Math.min(record.attempt, LOCKED_TIMES) : failures;
  const delay = retryDelay({ retry, failures: times, run: request.id });
  if (delay === undefined) return undefined;
  const at = waited ? now : now + delay;
  return deadline !== undefined && at >= deadline ? undefined : at;
}

/** The record at its next attempt, with nothing of the last one but the count of failures. */
export function toAttempt(look: TaskLook, at: number): TaskDecision {
  const { sideFailures: _, reported: __, signalled: ___, ...kept } = withoutStep(look.record);
  const record: RunRecord = { ...kept, attempt: kept.attempt + 1, step: "Work", ...notBefore(look, at) };
  return { record, state: stateBefore(look, record), intents: [], wakeAt: at };
}

export function toStep(look: TaskLook, step: "Settle" | "CleanUp", at: number): TaskDecision {
  const kept = withoutStep(look.record);
  const record: RunRecord = { ...kept, step, side: (kept.side ?? 0) + 1, ...notBefore(look, at) };
  return { record, state: stateBefore(look, record), intents: [], wakeAt: at };
}

function notBefore(look: TaskLook, at: number): { readonly notBefore?: string } {
  return at > look.now ? { notBefore: new Date(at).toISOString() } : {};
}

function stateBefore(look: TaskLook, record: RunRecord): TaskDecision["state"] {
  const { lastFailure, notBefore: until } = record;
  if (lastFailure && until) return { phase: "BackingOff", failure: lastFailure, until };
  const run = currentRequest(look.task, record).id;
  const about = attemptId(look.task, record.attempt);
  const state = { phase: "Absent" } as const;
  return record.step === "Work" ? { phase: "Working", run, state } : { phase: "Settling", run, about, state };
}

export interface End {
  readonly outcome: RunOutcome;
  readonly result: Result;
  readonly logTail: readonly string[];
  readonly settled?: boolean;
  /** The attempt may have left something in the repository. */
  readonly left?: boolean;
}

/** The end of the task. What is to be tidied up follows once this is in the owner's status. */
export function finish(
  look: TaskLook,
  { outcome, result, logTail, settled = false, left }: End,
): TaskDecision {
  const { notBefore: _, place: __, clearSince: ___, late: ____, ...kept } = look.record;
  const about = attemptId(look.task, kept.attempt);
  const leftovers = [...(kept.leftovers ?? []), ...(left ? [about] : [])].slice(-MAX_LEFTOVERS);
  // The edit that wanted its end does not want it anew.
  const ended = outcome === "Cancelled" && look.edition !== undefined ? { edition: look.edition } : {};
  return {
    record: { ...kept, ...ended, outcome, ...(leftovers.length > 0 ? { leftovers } : {}) },
    state: { phase: "Ended", outcome, result, logTail, settled },
    intents: [],
    wakeAt: look.now,
  };
}

export function failureOf(state: EndedRun | LostRun): EngineFailure {
  if (state.phase === "Ended" && state.result.failure) return state.result.failure;
  const message = state.phase === "Lost" ? state.message : "The run's answer was cut short";
  return { class: "Interrupted", message, remedy: ERROR_CLASSES.Interrupted.remedy };
}

/** A lost run's result, as far as anybody knows. */
export function resultOf(look: TaskLook, state: EndedRun | LostRun): Result {
  return state.phase === "Ended" ? state.result : failedResult(look, failureOf(state));
}

export function failedResult(look: TaskLook, failure: EngineFailure): Result {
  const endedAt = new Date(look.now).toISOString();
  const startedAt = look.record.startedAt ?? endedAt;
  return {
    version: REPORT_VERSION,
    run: attemptId(look.task, look.record.attempt),
    startedAt,
    endedAt,
    failure,
  };
}
