import type { Condition, WantedCondition } from "../../kube/write/conditions.ts";
import type { ErrorClass } from "../../wire/error_classes.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import { recordOf } from "../reconcile/records.ts";
import type { RunRecord } from "../work/run_record.ts";
import { type Restore, type RestoreState, targetName } from "./restore.ts";
import { RESTORE } from "./restore_tasks.ts";
import { relativePath } from "./restored_path.ts";

/** Failures that end a mover before it writes anything into its target. */
const BEFORE_WRITING: readonly ErrorClass[] = [
  "WrongPassword",
  "NotARepository",
  "ForeignData",
  "RepositoryReplaced",
  "UntrustedServer",
  "CredentialsMissing",
  "Forbidden",
  "BucketMissing",
  "SnapshotMissing",
  "PathMissing",
  "TargetExists",
  "PrivilegesNeeded",
  "Unsupported",
  "InvalidOption",
  "NotStarted",
  "EngineMissing",
];

const RESTORED_SINCE = "RestoredSince";

/**
 * Annotation of a restore: somebody takes the volume that it left half written as it is. The value is the time since which
 * its condition says so, so that it holds for this one time. It is no edit, which would have the restore tried again.
 */
export const ACKNOWLEDGE_INCOMPLETE = "holdfast.dev/acknowledge-incomplete";

/**
 * Whether a volume that was somebody's before is neither as it was nor as it should be: an attempt has begun to write,
 * and none has come to its end. What is said once stays said until the restore completes, or a later one does.
 */
export function targetIncomplete(
  restore: Restore,
  status: RestoreState,
  laterOnes: readonly Restore[] = [],
): readonly WantedCondition[] {
  if (!restore.spec.target?.pvcRef) return [];
  const said = isIncomplete(restore.status);
  const type = CONDITIONS.targetIncomplete;
  if (status.phase === "Completed") {
    const message = "The data was restored.";
    return said ? [{ type, status: "False", reason: "Completed", message }] : [];
  }
  const later = laterOnes.find((one) => makesUpFor(one, restore));
  if (later) {
    const message = `${later.kind} ${later.metadata.name} has restored the volume since.`;
    return said ? [{ type, status: "False", reason: RESTORED_SINCE, message }] : [];
  }
  if (isAccepted(restore)) {
    const message = `The annotation ${ACKNOWLEDGE_INCOMPLETE} says that the volume is good as it is.`;
    return [{ type, status: "False", reason: "Acknowledged", message }];
  }
  if (!said && !hasWritten(recordOf(status, RESTORE))) return [];
  const claim = targetName(restore) ?? "";
  const where = relativePath(restore.spec.options.path ?? "");
  const part = where === "" ? "" : `, in ${where},`;
  const message = `PersistentVolumeClaim ${claim}${part} holds a part of the old and a part of the restored data: a restore into it began to write and has not completed. Use nothing of it before a restore into it completes; until then no backup of it is made.`;
  return [{ type, status: "True", reason: "RestoreBrokenOff", message }];
}

interface Said {
  readonly conditions?: readonly Condition[];
}

/** Whether a status says so. */
export function isIncomplete(status: Said | undefined): boolean {
  return conditionIn(status)?.status === "True";
}

/** Whether it says so, or did until another restore made up for it. */
export function hasLeftIncomplete({ status }: Pick<Restore, "status">): boolean {
  return isIncomplete(status) || conditionIn(status)?.reason === RESTORED_SINCE;
}

/** Since when a status says so. */
export function incompleteSince(status: Said | undefined): string | undefined {
  const found = conditionIn(status);
  return found?.status === "True" ? found.lastTransitionTime : undefined;
}

function conditionIn(status: Said | undefined): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === CONDITIONS.targetIncomplete);
}

/** Whether somebody takes the volume as it is. */
function isAccepted({ metadata, status }: Restore): boolean {
  const since = incompleteSince(status);
  return since !== undefined && metadata.annotations?.[ACKNOWLEDGE_INCOMPLETE] === since;
}

function hasWritten(record: RunRecord | undefined): boolean {
  if (record?.startedAt === undefined) return false;
  if (record.outcome === "Cancelled") return true;
  const { lastFailure } = record;
  return lastFailure !== undefined && !BEFORE_WRITING.includes(lastFailure.class);
}

/** Whether one has since written everything that the other one left half done. */
function makesUpFor(later: Restore, broken: Restore): boolean {
  if (later.metadata.uid === broken.metadata.uid) return false;
  if (!hasWrittenSince(later, broken.status?.timing?.startTime ?? broken.metadata.creationTimestamp))
    return false;
  const [all, part] = [later, broken].map(placesOf);
  return isWhole(later) || (all?.[0] === part?.[0] && all?.[1] === part?.[1]);
}

/** Whether it has written the whole volume since then. */
export function makesWhole(restore: Restore, since: string): boolean {
  return hasWrittenSince(restore, since) && isWhole(restore);
}

/** One that found no snapshot, or kept what was there, has left the volume as it was. */
function hasWrittenSince({ spec, status }: Restore, since: string): boolean {
  if (status?.phase !== "Completed" || status.resolved?.noSnapshot) return false;
  if (spec.options.existingFiles === "Keep") return false;
  return Date.parse(status.timing?.endTime ?? "") > Date.parse(since);
}

function isWhole(restore: Restore): boolean {
  return placesOf(restore).every((path) => path === "");
}

/** What of its snapshot a restore writes, and where. */
function placesOf({ spec: { options } }: Restore): readonly string[] {
  return [relativePath(options.path ?? ""), relativePath(options.targetPath ?? options.path ?? "")];
}
