import type { RunRecord } from "../../../core/work/run_record.ts";
import type { RunTask } from "../../../core/work/run_request.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import type { Result } from "../../../lib/result.ts";
import type { DeleteWork } from "../../../wire/work.ts";
import { edition } from "../editions.ts";
import type { Problem } from "../problem.ts";
import { recordOf } from "../records.ts";
import { entryReference } from "../snapshot_reference.ts";
import { taskFor } from "../task.ts";
import { lateRuns } from "./late_runs.ts";
import { type BackupGround, requestFor, SNAPSHOT } from "./snapshot_task.ts";

/** Purposes of runs that delete begin with this. */
export const DELETE_PREFIX = "delete-";

/** The purpose of the run that deletes: an edit of the Backup begins another one. */
export function deletePurpose(backup: Backup): string {
  return DELETE_PREFIX + edition(backup);
}

/** How long after it began a deletion that failed for good is begun again, in milliseconds. */
const BEGIN_AGAIN = 3_600_000;
/** Until it is looked at again when the repository is not ready by then, in milliseconds. */
const PATIENCE = 300_000;

/**
 * The edition of a deletion: when it was begun. What failed for good is begun again after an hour, once the repository is
 * ready: a password that was put right, or a repository that was brought back, is no edit of the Backup.
 */
export function deletionEdition(record: RunRecord | undefined, ready: boolean, now: number): string {
  const { edition: begun = timestamp(now), outcome } = record ?? {};
  // A clock that was set back must not make it wait for longer than that.
  const again = ready && outcome !== undefined && Math.abs(now - Date.parse(begun)) >= BEGIN_AGAIN;
  return again ? timestamp(now) : begun;
}

/** When to look whether a deletion that failed for good can be begun again. */
export function beginAgainAt({ edition: begun = "" }: RunRecord, now: number): number {
  const due = Date.parse(begun) + BEGIN_AGAIN;
  return due > now ? Math.min(due, now + BEGIN_AGAIN) : now + PATIENCE;
}

/** What of a Backup is in the repository and belongs to nobody else. `shared`: IDs of those that other Backups stand for too. */
export function toDelete(backup: Backup, shared: ReadonlySet<string>): DeleteWork | undefined {
  const { status } = backup;
  const snapshots = (status?.snapshots ?? [])
    .filter(({ kopiaSnapshotID }) => !shared.has(kopiaSnapshotID))
    .map(entryReference);
  const runs = [...new Set([...(recordOf(status, SNAPSHOT)?.leftovers ?? []), ...lateRuns(backup)])];
  if (snapshots.length === 0 && runs.length === 0) return undefined;
  return { snapshots, ...(runs.length > 0 ? { runs } : {}) };
}

export function deleteTask(
  ground: BackupGround,
  work: DeleteWork,
  purpose: string = deletePurpose(ground.backup),
): Result<RunTask, Problem> {
  return taskFor(requestFor(ground, purpose), () => ({ work: { delete: work } }));
}
