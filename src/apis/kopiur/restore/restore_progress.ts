import type { EndedTask, TaskState } from "../../../core/work/task_decision.ts";
import type { Restore, RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import type { ProgressLine, RestoreAnswer } from "../../../wire/report.ts";
import type { Outlook } from "../outlook.ts";
import { progressOf, shownProgress } from "../progress.ts";
import {
  cut,
  sentence,
  shownFailure,
  shownLog,
  standOfTask,
  statusJob,
  statusLog,
  statusLosses,
} from "../run_words.ts";
import { timingOf } from "../timing.ts";
import type { Stand } from "../verdicts.ts";

type Progress = NonNullable<RestoreStatus["progress"]>;

interface At {
  readonly restore: Restore;
  readonly now: number;
}

/** How a restore stands with its run in this state. */
export function standOfRestore(state: TaskState, doing: string): Stand {
  return state.phase === "Ended" ? endOfRestore(state) : standOfTask(state, doing);
}

export function endOfRestore({ outcome, result }: EndedTask): Stand {
  if (result?.failure) {
    return { state: "stalled", reason: result.failure.class, message: sentence(result.failure) };
  }
  if (outcome === "Cancelled") {
    const message = "The restore was cancelled. Create another one when it is wanted.";
    return { state: "stalled", reason: REASONS.cancelled, message };
  }
  if (outcome === "Failed") {
    const message = "The restore has failed. Edit it to have it tried again, or create another one.";
    return { state: "stalled", reason: "Failed", message };
  }
  const answer = answerOf(result);
  const message = answer ? `${answer.files} files were restored.` : "The data was restored.";
  const { warnings = [] } = result ?? {};
  const warning = warnings.length > 0;
  return { state: "ready", reason: "Completed", message: [message, ...warnings].join(" "), warning };
}

/** How a restore stands that has ended, from what its status has kept. */
export function standOfEnd({ phase, progress, failure }: RestoreStatus): Stand {
  if (phase === "Completed") return completed(progress);
  if (failure) {
    const { errorClass: reason, message, remedy = "" } = failure;
    return { state: "stalled", reason, message: sentence({ message, remedy }).trimEnd() };
  }
  return endOfRestore({ phase: "Ended", outcome: "Failed", logTail: [], settled: false });
}

export function completed(progress: RestoreStatus["progress"]): Stand {
  const files = progress?.filesRestored;
  const message = files === undefined ? "The data was restored." : `${files} files were restored.`;
  return { state: "ready", reason: "Completed", message };
}

/** What the status says of the run that writes the data. */
export function restoreFields({ restore, now }: At, { task, decision }: Outlook): Partial<RestoreStatus> {
  const { record, state } = decision;
  const ended = state.phase === "Ended" ? state : undefined;
  const timing = timingOf(record, ended?.result, now);
  const job = statusJob(task, record);
  const fields = { job, ...(timing ? { timing } : {}) };
  if (ended) return { ...fields, ...endedFields({ restore, now }, { task, decision }, ended) };
  const failure = state.phase === "BackingOff" ? state.failure : record.lastFailure;
  const shown = shownFailure(restore.status?.failure, failure, record, now);
  // What is shown may be another run's.
  const before = restore.status?.job?.runID === job.runID ? restore.status?.progress : undefined;
  const progress = shownProgress(before, progressOf(state), now, progressWords);
  return {
    ...fields,
    phase: "Restoring",
    ...(shown ? { failure: shown } : {}),
    ...(progress ? { progress } : {}),
    ...shownLog(restore.status, decision),
  };
}

function endedFields(at: At, outlook: Outlook, ended: EndedTask): Partial<RestoreStatus> {
  if (ended.outcome !== "Succeeded") return { phase: "Failed", ...failedFields(at, outlook, ended) };
  const answer = answerOf(ended.result);
  const losses = statusLosses(answer?.losses ?? []);
  const logTail = statusLog(ended.logTail);
  const { incomplete } = answer?.snapshot ?? {};
  return {
    phase: "Completed",
    ...(answer ? { fidelity: answer.fidelity } : {}),
    ...(incomplete ? { incomplete: cut(incomplete, 256) } : {}),
    ...(answer ? { progress: { filesRestored: answer.files, bytesRestored: answer.bytes } } : {}),
    ...(losses.length > 0 ? { losses } : {}),
    ...(logTail ? { logTail } : {}),
  };
}

/** What the status says of a run that failed for good. */
export function failedFields(
  { restore, now }: At,
  { decision }: Outlook,
  ended: EndedTask,
): Partial<RestoreStatus> {
  const { record } = decision;
  const failure = shownFailure(
    restore.status?.failure,
    ended.result?.failure ?? record.lastFailure,
    record,
    now,
  );
  const logTail = statusLog(ended.logTail);
  return { ...(failure ? { failure } : {}), ...(logTail ? { logTail } : {}) };
}

function answerOf(result: EndedTask["result"]): RestoreAnswer | undefined {
  const answer = result?.answer;
  return answer && "restore" in answer ? answer.restore : undefined;
}

function progressWords({
  files,
  bytes,
  estimatedFiles,
  estimatedBytes,
  secondsRemaining,
  errors,
}: ProgressLine): Progress {
  const figures = {
    filesRestored: files,
    bytesRestored: bytes,
    filesTotal: estimatedFiles,
    bytesTotal: estimatedBytes,
    secondsRemaining,
    errors,
  };
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined)) as Progress;
}
