import { someOf } from "../../lib/some_of.ts";
import type { ProgressLine, SnapshotAnswer } from "../../wire/report.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import type { ReadyState } from "../reconcile/ready_state.ts";
import { REASONS } from "../reconcile/reasons.ts";
import type { TaskPlan } from "../reconcile/task_plan.ts";
import { cut, sentence, shownFailure, statusJob, statusLog, statusLosses } from "../reconcile/task_words.ts";
import { timingOf } from "../reconcile/timing.ts";
import type { EndedTask } from "../work/task_decision.ts";
import type { BackupObject, BackupProgress, BackupState } from "./backup.ts";
import { madeSnapshots, snapshotEntry, statsOf } from "./snapshot_entries.ts";

/** Characters of a log that a backup shows, unless its many volumes leave less room. */
export const MOST_LOG = 4096;

/** The same of one that has succeeded: there are many of these, and what they say is short. */
const LOG_OF_SUCCESS = 1024;

/** Some of what a backup's status says. */
export type BackupFields = Partial<BackupState>;

interface At {
  readonly backup: BackupObject;
  readonly now: number;
}

/** How a backup stands that was to end, and did. */
export const CANCELLED: ReadyState = {
  state: "stalled",
  reason: REASONS.cancelled,
  message: "The backup was cancelled. Create a new one to retry.",
};

/** How a backup stands whose run has ended. */
export function endOfBackup({ outcome, result }: EndedTask): ReadyState {
  if (result?.failure) {
    return { state: "stalled", reason: result.failure.class, message: sentence(result.failure) };
  }
  if (outcome !== "Succeeded") return CANCELLED;
  const made = madeSnapshots(result?.answer);
  const { warnings = [] } = result ?? {};
  const ready = (reason: string, message: string): ReadyState => ({
    state: "ready",
    reason,
    message: [message, ...leftOut(made), ...warnings].join(" "),
    warning: warnings.length > 0,
  });
  if (made.length > 0 && made.every(({ unchanged }) => unchanged)) {
    return ready(
      "Unchanged",
      "Nothing has changed since the last backup, whose snapshot this one refers to.",
    );
  }
  const ids = someOf(made.map(({ snapshot }) => snapshot.id));
  return ready("Succeeded", `The snapshot ${ids} was made.`);
}

/** A backup that may not leave out what it cannot read has failed. */
function leftOut(made: readonly SnapshotAnswer[]): readonly string[] {
  const count = made.reduce((all, { snapshot }) => all + (snapshot.failedFiles ?? 0), 0);
  if (count === 0) return [];
  // Of all that there are, the report names a few.
  const some = made.flatMap(({ unreadable }) => unreadable).slice(0, 3);
  const more = count > some.length ? ` and ${count - some.length} more` : "";
  const names = some.length > 0 ? `: ${some.map((path) => cut(path, 100)).join(", ")}${more}` : "";
  return [`${count} files could not be read, and were left out${names}.`];
}

/** What the status says of a run that has ended. */
export function endedFields({ backup, now }: At, taskPlan: TaskPlan, state: EndedTask): BackupFields {
  const { record } = taskPlan.decision;
  const { result } = state;
  const fields = runFields(taskPlan, now, state);
  if (state.outcome !== "Succeeded") {
    const logTail = statusLog(state.logTail, MOST_LOG);
    const failure = shownFailure(backup.status?.failure, result?.failure ?? record.lastFailure, record, now);
    return {
      phase: "Failed",
      ...fields,
      ...(logTail ? { logTail } : {}),
      ...(failure ? { failure } : {}),
    };
  }
  const logTail = statusLog(state.logTail, LOG_OF_SUCCESS);
  const made = madeSnapshots(result?.answer);
  const snapshots = made.map(snapshotEntry);
  const [only, ...others] = snapshots;
  const losses = statusLosses(made.flatMap((one) => one.losses));
  return {
    phase: "Succeeded",
    ...fields,
    snapshots,
    ...(only && others.length === 0 ? { snapshot: only } : {}),
    stats: statsOf(made),
    ...(logTail ? { logTail } : {}),
    ...(losses.length > 0 ? { losses } : {}),
  };
}

/** What it says of every run. */
export function runFields(
  { task, decision: { record } }: TaskPlan,
  now: number,
  ended?: EndedTask,
): BackupFields {
  const timing = timingOf(record, ended?.result, now);
  return { job: statusJob(task, record), ...(timing ? { timing } : {}) };
}

export function progressWords(line: ProgressLine): BackupProgress {
  const { version: _, step: __, source: ___, ...figures } = line;
  const { bytes, estimatedBytes } = figures;
  if (bytes === undefined || !estimatedBytes) return figures;
  return { percent: Math.min(100, Math.floor((100 * bytes) / estimatedBytes)), ...figures };
}

/** What is known of the snapshots, beside how the backup stands. */
export function snapshotConditions({ phase, snapshots = [], stats }: BackupFields) {
  if (phase !== "Succeeded") return [];
  const unchanged = snapshots.length > 0 && snapshots.every((one) => one.unchanged);
  const created = { type: CONDITIONS.snapshotCreated, status: "True", reason: "Succeeded" } as const;
  const ids = someOf(snapshots.map(({ id }) => id));
  const told = [
    { ...created, message: `The repository holds ${ids}.` },
    ...incompleteOf(snapshots),
    ...readForNothing(stats),
  ];
  if (!unchanged) return told;
  return [
    ...told,
    {
      type: CONDITIONS.unchanged,
      status: "True",
      reason: "Identical",
      message: "Nothing had changed.",
    } as const,
  ];
}

function incompleteOf(snapshots: NonNullable<BackupFields["snapshots"]>) {
  const lacks = snapshots.flatMap(({ pvc, incomplete }) => (incomplete ? [`${pvc}: ${incomplete}`] : []));
  if (lacks.length === 0) return [];
  const message = `It does not count as a good backup of ${someOf(lacks)}. Let the mover read everything, or leave these paths out by rules.`;
  return [{ type: CONDITIONS.incomplete, status: "True", reason: "SourceUnreadable", message } as const];
}

/** Volumes smaller than this are read in a moment. */
const WORTH_TELLING = 100_000_000;

/** Whether a backup read the whole volume, and found less than a hundredth of it new. */
function readForNothing(stats: BackupState["stats"]) {
  const { files = 0, filesUnchanged, sizeBytes = 0, bytesNew } = stats ?? {};
  if (filesUnchanged !== 0 || bytesNew === undefined || sizeBytes < WORTH_TELLING) return [];
  if (bytesNew * 100 >= sizeBytes) return [];
  const message = `All ${files} files counted as changed since the backup before, and hardly anything in them was new: something gives them new modification times, or the file system new inodes. Each backup reads the whole volume for that.`;
  return [{ type: CONDITIONS.everythingRead, status: "True", reason: "NothingNew", message } as const];
}
