import type { WantedCondition } from "../../kube/write/conditions.ts";
import { unreachable } from "../../lib/result.ts";
import type { ProgressLine, RestoreAnswer } from "../../wire/report.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import { progressOf, shownProgress } from "../reconcile/progress.ts";
import type { ReadyState } from "../reconcile/ready_state.ts";
import { REASONS } from "../reconcile/reasons.ts";
import type { TaskPlan } from "../reconcile/task_plan.ts";
import {
  cut,
  readyStateOfTask,
  sentence,
  shownFailure,
  shownLog,
  statusJob,
  statusLog,
  statusLosses,
} from "../reconcile/task_words.ts";
import { timingOf } from "../reconcile/timing.ts";
import type { EndedTask, TaskState } from "../work/task_decision.ts";
import type { Restore, RestoreProgress, RestoreState, RestoreWords } from "./restore.ts";

interface At {
  readonly restore: Restore;
  readonly now: number;
}

/** How a restore stands with its run in this state. */
export function readyStateOfRestore(state: TaskState, doing: string, words: Again): ReadyState {
  return state.phase === "Ended" ? endOfRestore(state, words) : readyStateOfTask(state, doing);
}

export const CANCELLED: ReadyState = {
  state: "stalled",
  reason: REASONS.cancelled,
  message: "The restore was cancelled. Create a new one to retry.",
};

export type Again = Pick<RestoreWords, "tryAgain">;

/** How one that has failed is tried again, as a sentence. */
export function howAgain({ tryAgain = "" }: Again): string {
  const other = "create another one.";
  const next = tryAgain === "" ? other : `${tryAgain}; or ${other}`;
  return next.charAt(0).toUpperCase() + next.slice(1);
}

export function endOfRestore({ outcome, result }: EndedTask, words: Again): ReadyState {
  if (result?.failure) {
    return { state: "stalled", reason: result.failure.class, message: sentence(result.failure) };
  }
  if (outcome === "Cancelled") return CANCELLED;
  if (outcome === "Failed") {
    return { state: "stalled", reason: "Failed", message: `The restore has failed. ${howAgain(words)}` };
  }
  const answer = answerOf(result);
  const message = answer ? `${answer.files} files were restored.` : "The data was restored.";
  const { warnings = [] } = result ?? {};
  const warning = warnings.length > 0;
  return { state: "ready", reason: "Completed", message: [message, ...warnings].join(" "), warning };
}

/** How a restore stands that has ended, from what its status has kept. */
export function readyStateOfEnded({ phase, progress, failure }: RestoreState, words: Again): ReadyState {
  if (phase === "Completed") return completed(progress);
  if (failure) {
    const { errorClass: reason, message, remedy = "" } = failure;
    return { state: "stalled", reason, message: sentence({ message, remedy }).trimEnd() };
  }
  return endOfRestore({ phase: "Ended", outcome: "Failed", logTail: [], settled: false }, words);
}

export function completed(progress: RestoreState["progress"]): ReadyState {
  const files = progress?.filesRestored;
  const message = files === undefined ? "The data was restored." : `${files} files were restored.`;
  return { state: "ready", reason: "Completed", message };
}

/** What the status says of the run that writes the data. */
export function restoreFields({ restore, now }: At, { task, decision }: TaskPlan): Partial<RestoreState> {
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

function endedFields(at: At, taskPlan: TaskPlan, ended: EndedTask): Partial<RestoreState> {
  if (ended.outcome !== "Succeeded") return { phase: "Failed", ...failedFields(at, taskPlan, ended) };
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
  { decision }: TaskPlan,
  ended: EndedTask,
): Partial<RestoreState> {
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

const FIGURES = {
  filesRestored: "files",
  bytesRestored: "bytes",
  filesTotal: "estimatedFiles",
  bytesTotal: "estimatedBytes",
  secondsRemaining: "secondsRemaining",
  errors: "errors",
} as const;

function progressWords(line: ProgressLine): RestoreProgress {
  const figures = Object.entries(FIGURES).map(([name, figure]) => [name, line[figure]] as const);
  return Object.fromEntries(figures.filter(([, value]) => value !== undefined));
}

/** What is said of a restore, besides how it stands: what was decided, and what of it came back otherwise. */
export function restoreConditions(
  { resolved, losses }: Pick<RestoreState, "resolved" | "losses">,
  words: RestoreWords,
): readonly WantedCondition[] {
  return [...decided(resolved), ...permissions(losses, words)];
}

function decided(resolved: RestoreState["resolved"]): readonly WantedCondition[] {
  if (!resolved?.pinnedAt) return [];
  const type = CONDITIONS.sourceResolved;
  if (resolved.noSnapshot) {
    const message = "The repository answered that it holds no such snapshot.";
    return [{ type, status: "True", reason: "NoSnapshot", message }];
  }
  const message = `Snapshot ${resolved.snapshotID ?? ""} is restored.`;
  return [{ type, status: "True", reason: "Resolved", message }];
}

function permissions(losses: RestoreState["losses"] = [], words: RestoreWords): readonly WantedCondition[] {
  const differing = losses.filter(({ kind }) => kind === "Owner" || kind === "Mode");
  if (differing.length === 0) return [];
  const count = differing.reduce((all, one) => all + one.count, 0);
  const message = `${count} owners or modes could not be set as they were; see ${words.losses}. A mover with ${words.privileges} can set them.`;
  return [{ type: CONDITIONS.permissionsDiffer, status: "True", reason: "NotPermitted", message }];
}

/** How much of what was backed up a restore has brought back. */
export function restored(
  status: Pick<RestoreState, "phase" | "losses" | "resolved" | "fidelity" | "incomplete">,
  words: RestoreWords,
): readonly WantedCondition[] {
  const { phase, resolved } = status;
  if (phase !== "Completed" || resolved?.noSnapshot) return [];
  return [{ type: CONDITIONS.restored, status: "True", ...wholeness(status, words) }];
}

function wholeness(
  { losses = [], fidelity, incomplete }: Pick<RestoreState, "losses" | "fidelity" | "incomplete">,
  words: RestoreWords,
): Pick<WantedCondition, "reason" | "message"> {
  const count = losses.reduce((all, one) => all + one.count, 0);
  if (count > 0) {
    const message = `${count} things did not come back as they were; see ${words.losses}.`;
    return { reason: "WithLosses", message };
  }
  if (incomplete) {
    const message = `What the snapshot holds came back, and that is not the whole source: ${incomplete}.`;
    return { reason: "Incomplete", message };
  }
  switch (fidelity) {
    case "Full":
      return { reason: "Complete", message: "Everything came back as it was." };
    case "Engine":
    case "Degraded":
      return {
        reason: "Unrecorded",
        message:
          "What the engine itself keeps came back. Whether there was more, such as links or attributes, the snapshot does not say.",
      };
    case undefined:
      return {
        reason: "Unreported",
        message: "Data restored; completeness unknown (report lost).",
      };
    default:
      return unreachable(fidelity);
  }
}
