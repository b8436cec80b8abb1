import { isUnfinished, recordOf, recordsOf } from "../reconcile/records.ts";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import type { RunRecord } from "../work/run_record.ts";
import type { Restore, RestoreState } from "./restore.ts";
import { RESTORE } from "./restore_tasks.ts";

/* How far a restore is, by what its status remembers. */

/** A restore, or what is about to be one's status. */
interface Staged {
  readonly status?: RestoreState | undefined;
}

/** Whether a run that only asks has a Job. Without one there is nothing of it to wait for, however often it was tried. */
export function hasJob(record: RunRecord | undefined): boolean {
  return isUnfinished(record) && record.job !== undefined;
}

/**
 * Whether a run that writes has written something, as far as is known. It is not given up for a repository that went
 * away: what it left half done is worth waiting for.
 */
export function hasBegun(record: RunRecord | undefined): boolean {
  return isUnfinished(record) && (hasJob(record) || record.startedAt !== undefined);
}

/** Whether a Job of this restore writes, or is about to. */
export function isWriting({ status }: Staged): boolean {
  return hasJob(recordOf(status, RESTORE));
}

/** Whether the data is written, so that the volume can be handed over. */
export function isFilled({ status }: Staged): boolean {
  return recordOf(status, RESTORE)?.outcome === "Succeeded";
}

/** Whether it has ended, well or not: it needs nothing any more. */
export function isOver({ status }: Staged): boolean {
  return status?.phase === "Completed" || status?.phase === "Failed";
}

/**
 * Whether it waited for its source until the time was over, and nobody has edited it since: it is over for good. Never
 * while it writes: nobody would look after that any more.
 */
export function hasGivenUp(restore: Restore): boolean {
  const { phase, waiting } = restore.status ?? {};
  return phase === "Failed" && waiting?.edition === specFingerprint(restore) && !isWriting(restore);
}

/** Whether a run of it has failed for good, and nobody has edited it since, whatever becomes of its repository. */
export function hasFailed(restore: Restore, record: RunRecord | undefined): boolean {
  return (
    restore.status?.phase === "Failed" &&
    record?.outcome !== undefined &&
    record.edition === specFingerprint(restore)
  );
}

/** Whether it runs once, and has failed before there was a run, for a reason that may be gone by now: nothing follows. */
export function hasFailedWithoutRun({ endedAs, status }: Restore): boolean {
  if (endedAs === undefined || status?.phase !== "Failed" || isWriting({ status })) return false;
  const records = Object.values(recordsOf(status)) as readonly RunRecord[];
  return !records.some(({ outcome, edition }) => outcome !== undefined && edition === endedAs);
}
