import { timestamp } from "../../kube/write/timestamp.ts";
import type { EngineFailure } from "../../wire/engine_error.ts";
import { type Retry, retryOfRun } from "../../wire/error_classes.ts";
import type { RunRecord } from "../work/run_record.ts";
import type { RunTask } from "../work/run_request.ts";
import type { RunState } from "../work/run_state.ts";
import type { TaskDecision, TaskState } from "../work/task_decision.ts";
import { attemptId } from "../work/task_requests.ts";
import { isSaid, type ReadyState } from "./ready_state.ts";
import type { FailureStatus, JobStatus, LossStatus } from "./status_parts.ts";

/** The reason of what waits for its mover's pod, and of nothing else. */
export const PREPARING = "Preparing";

/** How an object stands whose task is under way. `doing` is what its mover does, as in "backing up". */
export function readyStateOfTask(
  state: Exclude<TaskState, { readonly phase: "Ended" }>,
  doing: string,
): ReadyState {
  switch (state.phase) {
    case "Held":
      return { state: "reconciling", reason: state.reason, message: state.message };
    case "BackingOff": {
      const message = `${sentence(state.failure)} The next attempt begins at ${state.until}.`;
      return { state: "reconciling", reason: state.failure.class, message, warning: true };
    }
    case "Working":
      return readyStateOfRun(state.state, { reason: "Running", message: `The mover is ${doing}.` });
    case "Settling": {
      const message = `Run ${state.about} ended without a result; checking the repository for its snapshots.`;
      return readyStateOfRun(state.state, { reason: "Settling", message });
    }
  }
}

function readyStateOfRun(state: RunState, words: Pick<ReadyState, "reason" | "message">): ReadyState {
  if (state.phase === "Waiting") {
    return { state: "reconciling", reason: state.reason, message: state.message, warning: true };
  }
  if (state.phase === "Absent" || state.phase === "Preparing") {
    return { state: "reconciling", reason: PREPARING, message: "Waiting for the mover pod to start." };
  }
  if (state.phase === "Prepared") {
    const message = "The mover is prepared, and waits for the signal to start.";
    return { state: "reconciling", reason: "Prepared", message };
  }
  return { state: "reconciling", ...words };
}

/** What failed, why and what to do, in one text. */
export function sentence(
  failure: Pick<EngineFailure, "message" | "remedy"> & { readonly detail?: string | undefined },
): string {
  const { message, remedy, detail } = failure;
  const line = lastLine(detail);
  const said =
    line === undefined || message.includes(line) ? "" : ` The engine said: ${cut(line, LONGEST_LINE)}`;
  return [message, said.trim(), remedy]
    .filter((part) => part !== "")
    .map(ended)
    .join(" ");
}

/** Longer lines of an engine are cut in a condition; all of it is in the status. */
const LONGEST_LINE = 256;

function lastLine(detail: string | undefined): string | undefined {
  const lines = (detail ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  // What an engine calls fatal is what went wrong; hints may follow.
  return lines.findLast((line) => /^fatal\b/i.test(line)) ?? lines.at(-1);
}

function ended(part: string): string {
  return /[.!?\u2026]$/.test(part) ? part : `${part}.`;
}

/** `retry`: when it is tried again; as a run is, by default. */
export function statusFailure(
  failure: EngineFailure,
  record: RunRecord,
  now: number,
  retry = retryOfRun(failure.class),
): FailureStatus {
  return {
    errorClass: failure.class,
    message: cut(failure.message, 1024),
    remedy: cut(failure.remedy, 512),
    retry,
    ...(failure.detail ? { stderrTail: cut(failure.detail, 1024) } : {}),
    attempt: record.failedAttempt ?? record.attempt,
    at: timestamp(now),
  };
}

/** The failure that a status shows: what it shows already, while it is of the same attempt. */
export function shownFailure(
  shown: FailureStatus | undefined,
  failure: EngineFailure | undefined,
  record: RunRecord,
  now: number,
  retry?: Retry,
): FailureStatus | undefined {
  if (failure === undefined) return undefined;
  const fresh = statusFailure(failure, record, now, retry);
  // What is shown may have been cut for lack of room.
  const same = shown?.errorClass === fresh.errorClass && isSaid(fresh.message, shown.message);
  return same && shown.attempt === fresh.attempt ? shown : fresh;
}

export function statusJob(task: RunTask, record: RunRecord): JobStatus {
  const run = attemptId(task, record.attempt);
  return {
    name: run,
    runID: run,
    attempts: record.attempt,
    ...(record.notBefore && !record.outcome
      ? { nextAttemptAt: timestamp(Date.parse(record.notBefore)) }
      : {}),
    image: task.mover.image,
  };
}

/** One entry a kind, as a status lists them. */
export function statusLosses(losses: readonly LossStatus[]): readonly LossStatus[] {
  const byKind = new Map<string, LossStatus>();
  for (const loss of losses) {
    const before = byKind.get(loss.kind);
    const count = (before?.count ?? 0) + loss.count;
    const examples = [...(before?.examples ?? []), ...(loss.examples ?? [])];
    byKind.set(loss.kind, { ...loss, count, examples });
  }
  return [...byKind.values()].map(({ kind, count, reason, examples = [] }) => ({
    kind,
    count,
    reason: cut(reason, 256),
    ...(examples.length > 0 ? { examples: examples.slice(0, 3).map((path) => cut(path, 256)) } : {}),
  }));
}

/** The log that a status shows while a task goes on: that of the last attempt that failed. */
export function shownLog(
  before: { readonly logTail?: string } | undefined,
  { lastLog = [], record }: TaskDecision,
  most?: number,
): { readonly logTail?: string } {
  const logTail = statusLog(lastLog, most) ?? (record.lastFailure ? before?.logTail : undefined);
  return logTail === undefined ? {} : { logTail };
}

/** The end of a log, as a status shows it that has room for `most` characters of it. */
export function statusLog(lines: readonly string[], most = 2048): string | undefined {
  return lines.length === 0 ? undefined : lines.join("\n").slice(-most).toWellFormed();
}

/** What a message has of one namespace: with as many as there may be, a status has room for no more. */
export const LONGEST_OF_MANY = 120;

export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}
