import type { KubeObject } from "../../kube/object.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import type { Result } from "../../lib/result.ts";
import type { DeleteWork } from "../../wire/work.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import type { Decision } from "../reconcile/decision.ts";
import type { Problem } from "../reconcile/problem.ts";
import { REASONS } from "../reconcile/reasons.ts";
import { recordOf, recordsOf } from "../reconcile/records.ts";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import { taskFor } from "../repository/task_for.ts";
import type { RunRecord } from "../work/run_record.ts";
import type { RunTask } from "../work/run_request.ts";
import type { BackupObject } from "./backup.ts";
import { lateRuns } from "./late_runs.ts";
import { entryReference } from "./snapshot_entries.ts";
import { type BackupContext, requestFor, SNAPSHOT } from "./snapshot_task.ts";

/** Purposes of runs that delete begin with this. */
export const DELETE_PREFIX = "delete-";

/** The purpose of the run that deletes: an edit of the object begins another one. */
export function deletePurpose(backup: KubeObject): string {
  return DELETE_PREFIX + specFingerprint(backup);
}

/** How long after it began a deletion that failed for good is begun again, in milliseconds. */
const BEGIN_AGAIN = 3_600_000;
/** Until it is looked at again when the repository is not ready by then, in milliseconds. */
const PATIENCE = 300_000;

/**
 * The edition of a deletion: when it was begun. What failed for good is begun again after an hour, once the repository is
 * ready: a password that was put right, or a repository that was brought back, is no edit of the object.
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

/** What of a backup is in the repository and belongs to nobody else. `shared`: IDs of those that others stand for too. */
export function toDelete(backup: BackupObject, shared: ReadonlySet<string>): DeleteWork | undefined {
  const { status } = backup;
  const snapshots = (status?.snapshots ?? []).filter(({ id }) => !shared.has(id)).map(entryReference);
  const runs = [...new Set([...(recordOf(status, SNAPSHOT)?.leftovers ?? []), ...lateRuns(backup)])];
  if (snapshots.length === 0 && runs.length === 0) return undefined;
  return { snapshots, ...(runs.length > 0 ? { runs } : {}) };
}

export function deleteTask(
  context: BackupContext,
  work: DeleteWork,
  purpose: string = deletePurpose(context.backup.owner.object),
): Result<RunTask, Problem> {
  return taskFor(requestFor(context, purpose), () => ({ work: { delete: work } }));
}

/** Whether a status that is written says for the first time that a deletion failed, or that it failed once more. */
export function deletionHasFailed(before: object | undefined, after: object): boolean {
  if (!saysFailed(after)) return false;
  return !saysFailed(before) || failuresIn(after) > failuresIn(before);
}

/** Whether the snapshots of a backup stay in the repository once the decision is carried out, and nobody stands for them. */
export function orphans({ events }: Pick<Decision<object>, "events">): boolean {
  return events?.some(({ reason }) => reason === REASONS.snapshotOrphaned) ?? false;
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
