import type { RunRecord } from "../../../core/work/run_record.ts";
import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Condition } from "../../../kube/write/conditions.ts";
import type { Decision } from "../decision.ts";
import { recordsOf } from "../records.ts";
import { DELETE_PREFIX } from "./delete_task.ts";

/** What is counted of deletions, as it happens. */
export interface DeletionObserver {
  snapshotsOrphaned(namespace: string, count: number): void;
  snapshotDeletionFailed(namespace: string): void;
}

/** Whether a status that is written says for the first time that a deletion failed, or that it failed once more. */
export function deletionHasFailed(before: object | undefined, after: object): boolean {
  if (!saysFailed(after)) return false;
  return !saysFailed(before) || failuresIn(after) > failuresIn(before);
}

/** How many snapshots of a Backup stay in the repository once the decision is carried out, and nobody stands for them. */
export function orphanedBy(
  { status }: KubeObject & { readonly status?: object },
  decision: Decision<object>,
) {
  if (!decision.events?.some(({ reason }) => reason === REASONS.snapshotOrphaned)) return 0;
  const { snapshots = [], backupRef } = (status ?? {}) as Pick<BackupStatus, "snapshots" | "backupRef">;
  // Where another Backup did the work, that one stands for them.
  return backupRef ? 0 : snapshots.length;
}

function saysFailed(status: object | undefined): boolean {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
  return conditions.some(
    ({ type, status: value }) => type === CONDITIONS.snapshotDeletionFailed && value === "True",
  );
}

function failuresIn(status: object | undefined): number {
  return Object.entries(recordsOf(status))
    .filter(([purpose]) => purpose.startsWith(DELETE_PREFIX))
    .reduce((sum, [, record]) => sum + (record as RunRecord).failures, 0);
}
