import type { RunRecord } from "../../core/work/run_record.ts";
import type { RunTask } from "../../core/work/run_request.ts";
import type { RunState } from "../../core/work/run_state.ts";
import type { TaskDecision, TaskState } from "../../core/work/task_decision.ts";
import { attemptId } from "../../core/work/task_requests.ts";
import type { BackupStatus } from "../../kinds/kopiur/generated/backup.ts";
import type { LossStatus } from "../../kinds/kopiur/parts.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import type { EngineFailure } from "../../wire/engine_error.ts";
import { ERROR_CLASSES } from "../../wire/error_classes.ts";
import { isSaid, type Stand } from "./verdicts.ts";

type StatusFailure = NonNullable<BackupStatus["failure"]>;
type StatusJob = NonNullable<BackupStatus["job"]>;

/** How an object stands whose task is under way. `doing` is what its mover does, as in "backing up". */
export function standOfTask(state: Exclude<TaskState, { readonly phase: "Ended" }>, doing: string): Stand {
  switch (state.phase) {
    case "Held":
      return { state: "reconciling", reason: state.reason, message: state.message };
    case "BackingOff": {
      const message = `${sentence(state.failure)} The next attempt begins at ${state.until}.`;
      return { state: "reconciling", reason: state.failure.class, message, warning: true };
    }
    case "Working":
      return standOfRun(state.state, { reason: "Running", message: `The mover is ${doing}.` });
    case "Settling": {
      const message = `The report of ${state.about} was lost; the repository is asked what it left there.`;
      return standOfRun(state.state, { reason: "Settling", message });
    }
  }
}

function standOfRun(state: RunState, words: Pick<Stand, "reason" | "message">): Stand {
  if (state.phase === "Waiting") {
    return { state: "reconciling", reason: state.reason, message: state.message, warning: true };
  }
  if (state.phase === "Absent" || state.phase === "Preparing") {
    return { state: "reconciling", reason: "Preparing", message: "The mover's pod is on its way." };
  }
  return { state: "reconciling", ...words };
}

/** What failed, why and what to do, in one text. */
export function sentence({ message, remedy }: Pick<EngineFailure, "message" | "remedy">): string {
  return `${/[.!?]$/.test(message) ? message : `${message}.`} ${remedy}`;
}

export function statusFailure(failure: EngineFailure, record: RunRecord, now: number): StatusFailure {
  return {
    errorClass: failure.class,
    message: cut(failure.message, 1024),
    remedy: cut(failure.remedy, 512),
    retry: ERROR_CLASSES[failure.class].retry,
    ...(failure.detail ? { stderrTail: cut(failure.detail, 1024) } : {}),
    attempt: record.failedAttempt ?? record.attempt,
    at: timestamp(now),
  };
}

/** The failure that a status shows: what it shows already, while it is of the same attempt. */
export function shownFailure(
  shown: StatusFailure | undefined,
  failure: EngineFailure | undefined,
  record: RunRecord,
  now: number,
): StatusFailure | undefined {
  if (failure === undefined) return undefined;
  const fresh = statusFailure(failure, record, now);
  // What is shown may have been cut for lack of room.
  const same = shown?.errorClass === fresh.errorClass && isSaid(fresh.message, shown.message);
  return same && shown.attempt === fresh.attempt ? shown : fresh;
}

export function statusJob(task: RunTask, record: RunRecord): StatusJob {
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
