import { runId } from "../../../core/work/run_id.ts";
import type { RunRecord } from "../../../core/work/run_record.ts";
import type { TaskState } from "../../../core/work/task_decision.ts";
import type { PodVolumeBackup } from "../../../kinds/velero/generated/pod_volume_backup.ts";
import { isFinal } from "../../../kinds/velero/phases.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { isBackup, type PodVolume, type PodVolumeStatus } from "./pod_volume.ts";
import { DATA_PATH } from "./pod_volume_task.ts";

/** On a Completed backup: the run whose record of what kopia does not keep is beside the snapshot. */
export const COMPANION_ANNOTATION = "holdfast.dev/companion";
/**
 * On a backup that Failed or was Canceled: how many attempts may have left something in the repository, and whether nobody
 * saw one of them end.
 */
export const LEFTOVERS_ANNOTATION = "holdfast.dev/leftovers";
export const MARKS: readonly string[] = [COMPANION_ANNOTATION, LEFTOVERS_ANNOTATION];

/** What a mover left that was seen to end is there by then. */
export const LEFTOVERS_AFTER = 10 * 60_000;
/** A mover that nobody saw end may work on, out of sight, on a node that only the storage can reach: so long none does. */
export const UNSEEN_AFTER = 24 * 3_600_000;
const UNSEEN = " unseen";
/** More attempts than any backup has: whoever may write the annotation does not make a list of millions. */
const MOST_ATTEMPTS = 20;

/** What is known of an object that comes to its end. */
export interface Ending {
  readonly object: PodVolume;
  readonly status: PodVolumeStatus;
  readonly task?: TaskState | undefined;
  readonly run?: RunRecord | undefined;
}

/** Pure: what is noted on an object of what is in the repository, and what nobody else will delete. */
export function marksOf({ object, status, task, run }: Ending): Readonly<Record<string, string>> {
  if (!isBackup(object)) return {};
  if (status.phase === "Completed") {
    const answer = task?.phase === "Ended" ? task.result?.answer : undefined;
    const made = answer && "snapshot" in answer ? answer.snapshot.snapshots[0]?.snapshot : undefined;
    return made?.fidelity === "Full" && made.run ? { [COMPANION_ANNOTATION]: made.run } : {};
  }
  const begun = object.status?.phase === "InProgress" || object.status?.phase === "Canceling";
  if (!begun || !isFinal(status.phase) || !run) return {};
  const seen = task?.phase === "Ended" && (run.unseen ?? []).length === 0;
  return { [LEFTOVERS_ANNOTATION]: `${run.attempt}${seen ? "" : UNSEEN}` };
}

/** A run that has left something in the repository which nobody else deletes. */
export interface Left {
  readonly run: string;
  /** ISO 8601. All of it may be deleted then. Default: at once, and only what is beside a snapshot that is gone. */
  readonly due?: string;
}

/** Pure: what is left of a backup. `gone`: its object is. */
export function leftOf(backup: PodVolumeBackup, gone = false): readonly Left[] {
  const companion = backup.metadata.annotations?.[COMPANION_ANNOTATION];
  const due = leftoversDue(backup);
  const runs = Number.isNaN(due) ? [] : leftoversOf(backup).map((run) => ({ run, due: timestamp(due) }));
  return gone && companion !== undefined ? [...runs, { run: companion }] : runs;
}

/**
 * The runs of a backup that failed or was cancelled, which may have left something. They follow from the object itself, so
 * that the annotation names nobody else's.
 */
export function leftoversOf({ metadata, status }: PodVolumeBackup): readonly string[] {
  if (status?.phase !== "Failed" && status?.phase !== "Canceled") return [];
  const attempts = Number(metadata.annotations?.[LEFTOVERS_ANNOTATION]?.replace(UNSEEN, ""));
  if (!Number.isInteger(attempts) || attempts < 1) return [];
  const length = Math.min(attempts, MOST_ATTEMPTS);
  return Array.from({ length }, (_, index) =>
    runId({ owner: metadata, purpose: DATA_PATH, attempt: index + 1 }),
  );
}

/** When what a backup left may be deleted. */
export function leftoversDue({ metadata, status }: PodVolumeBackup): number {
  const unseen = metadata.annotations?.[LEFTOVERS_ANNOTATION]?.endsWith(UNSEEN) ?? false;
  return Date.parse(status?.completionTimestamp ?? "") + (unseen ? UNSEEN_AFTER : LEFTOVERS_AFTER);
}
