import { recordOf } from "../../../core/reconcile/records.ts";
import { hasBegun } from "../../../core/restore/restore_stage.ts";
import { RESTORE } from "../../../core/restore/restore_tasks.ts";
import { halfWritten } from "../../../core/volumes/half_written.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import type { Change } from "../../../kube/cache/cache.ts";
import type { KubeObject } from "../../../kube/object.ts";

/** Whether a Restore has begun to write, and has not ended. */
export function isWriting({ status }: Restore): boolean {
  return hasBegun(recordOf(status, RESTORE));
}

/** Whether a Restore begins to write, or has ended. */
export function beginsOrEnds(change: Change<Restore>): boolean {
  if (change.type !== "updated") return isWriting(change.type === "added" ? change.object : change.previous);
  return isWriting(change.object) !== isWriting(change.previous);
}

/** Whether a claim no longer says that a restore has left it half written. */
export function becomesWhole(change: Change<KubeObject>): boolean {
  if (change.type !== "updated") return false;
  return halfWritten(change.previous) !== undefined && halfWritten(change.object) === undefined;
}
