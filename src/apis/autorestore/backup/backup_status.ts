import type { BackupObject, BackupState } from "../../../core/backup/backup.ts";
import { SNAPSHOT } from "../../../core/backup/snapshot_task.ts";
import { recordOf } from "../../../core/reconcile/records.ts";
import { cut } from "../../../core/reconcile/task_words.ts";
import { durationText } from "../../../core/view/times_text.ts";
import type { ResticBackup, ResticBackupStatus } from "../../../kinds/autorestore/generated/restic_backup.ts";
import { bytesText } from "../../../lib/bytes_text.ts";
import { defined } from "../../../lib/defined.ts";

const MEANT = { Pending: "Pending", Running: "Running", Completed: "Succeeded", Failed: "Failed" } as const;

/** A ResticBackup as the engine room knows backups. */
export function coreBackup({ status, ...backup }: ResticBackup): BackupObject {
  if (!status) return backup;
  const { phase, observedGeneration, conditions, work, state } = status;
  // Failed is final, whatever is edited; a deletion is tried again after an edit.
  const failed = phase === "Failed" && !backup.metadata.deletionTimestamp;
  return {
    ...backup,
    ...(failed ? defined({ endedAs: recordOf(status, SNAPSHOT)?.edition }) : {}),
    status: {
      ...(phase ? { phase: MEANT[phase] } : {}),
      // A backup that is being deleted shows how it had ended; the engine room knows more.
      ...(state as BackupState | undefined),
      ...defined({ observedGeneration, conditions, work }),
    },
  };
}

/** The status of a backup, under the names of this API. */
export function shownBackup(before: ResticBackupStatus | undefined, core: BackupState): ResticBackupStatus {
  const { observedGeneration, conditions, work, ...state } = core;
  const { startTime, endTime, durationSeconds } = core.timing ?? {};
  const [snapshot] = core.snapshots ?? [];
  const phase = shownPhase(before, core.phase);
  const ready = conditions?.find(({ type }) => type === "Ready");
  const size = snapshot?.sizeBytes ?? core.stats?.sizeBytes;
  return {
    phase,
    ...defined({ startTime, completionTime: endTime, snapshotID: snapshot?.id }),
    ...(durationSeconds === undefined ? {} : { duration: durationText(durationSeconds * 1000) }),
    ...(size === undefined ? {} : { size, displaySize: bytesText(size) }),
    ...(phase === "Completed" && endTime ? { lastVerified: endTime } : {}),
    ...(phase === "Failed" && ready ? { error: cut(ready.message, 1024) } : {}),
    ...defined({ observedGeneration, conditions, work }),
    state: state as Record<string, unknown>,
  } as ResticBackupStatus;
}

function shownPhase(
  before: ResticBackupStatus | undefined,
  phase: BackupState["phase"],
): ResticBackupStatus["phase"] {
  switch (phase) {
    case "Succeeded":
      return "Completed";
    case "Running":
    case "Failed":
      return phase;
    case "Deleting":
      return before?.phase ?? "Failed";
    default:
      return "Pending";
  }
}
