import type { RunTask } from "../../../core/work/run_request.ts";
import type { Backup, BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import type { Result } from "../../../lib/result.ts";
import type { DeleteWork } from "../../../wire/work.ts";
import { edition } from "../editions.ts";
import type { Problem } from "../problem.ts";
import { recordOf } from "../records.ts";
import { snapshotReference } from "../snapshot_reference.ts";
import { taskFor } from "../task.ts";
import { type BackupGround, requestFor, SNAPSHOT } from "./snapshot_task.ts";

/** Purposes of runs that delete begin with this. */
export const DELETE_PREFIX = "delete-";

/** The purpose of the run that deletes: an edit of the Backup begins another one. */
export function deletePurpose(backup: Backup): string {
  return DELETE_PREFIX + edition(backup);
}

/** What of a Backup is in the repository and belongs to nobody else. `shared`: IDs that other Backups name too. */
export function toDelete(
  status: BackupStatus | undefined,
  shared: ReadonlySet<string>,
): DeleteWork | undefined {
  const snapshots = (status?.snapshots ?? [])
    .filter(({ kopiaSnapshotID }) => !shared.has(kopiaSnapshotID))
    .map(({ kopiaSnapshotID: id, root, runID: run, identity }) =>
      snapshotReference({ id, run, root, identity }),
    );
  const runs = recordOf(status, SNAPSHOT)?.leftovers ?? [];
  if (snapshots.length === 0 && runs.length === 0) return undefined;
  return { snapshots, ...(runs.length > 0 ? { runs } : {}) };
}

export function deleteTask(ground: BackupGround, work: DeleteWork): Result<RunTask, Problem> {
  return taskFor(requestFor(ground, deletePurpose(ground.backup)), () => ({ work: { delete: work } }));
}
