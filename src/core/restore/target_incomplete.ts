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
    return said ? [{ type, status: "False", reason: "RestoredSince", message }] : [];
  }
  if (!said && !hasWritten(recordOf(status, RESTORE))) return [];
  const claim = targetName(restore) ?? "";
  const where = relativePath(restore.spec.options.path ?? "");
  const part = where === "" ? "" : `, in ${where},`;
  const message = `PersistentVolumeClaim ${claim}${part} holds a part of the old and a part of the restored data: a restore into it began to write and has not completed. Use nothing of it before a restore into it completes.`;
  return [{ type, status: "True", reason: "RestoreBrokenOff", message }];
}

/** Whether a status says so. */
export function isIncomplete(status: { readonly conditions?: readonly Condition[] } | undefined): boolean {
  const found = status?.conditions?.find(({ type }) => type === CONDITIONS.targetIncomplete);
  return found?.status === "True";
}

function hasWritten(record: RunRecord | undefined): boolean {
  if (record?.startedAt === undefined) return false;
  if (record.outcome === "Cancelled") return true;
  const { lastFailure } = record;
  return lastFailure !== undefined && !BEFORE_WRITING.includes(lastFailure.class);
}

/** Whether one has since written everything that the other one left half done. */
function makesUpFor(later: Restore, broken: Restore): boolean {
  if (later.metadata.uid === broken.metadata.uid || later.status?.phase !== "Completed") return false;
  const end = Date.parse(later.status.timing?.endTime ?? "");
  if (!(end > Date.parse(broken.status?.timing?.startTime ?? broken.metadata.creationTimestamp)))
    return false;
  const [all, part] = [later, broken].map(({ spec: { options } }) => [
    relativePath(options.path ?? ""),
    relativePath(options.targetPath ?? options.path ?? ""),
  ]);
  const isWhole = all?.every((path) => path === "") ?? false;
  return isWhole || (all?.[0] === part?.[0] && all?.[1] === part?.[1]);
}
