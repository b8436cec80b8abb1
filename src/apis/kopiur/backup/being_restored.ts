import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import type { Change } from "../../../kube/cache/cache.ts";
import { keyOf } from "../../../kube/object.ts";
import { BY_CLAIM, type KopiurCaches } from "../caches.ts";
import { type Problem, waits } from "../problem.ts";
import { recordOf } from "../records.ts";
import { hasBegun } from "../restore/restore_stage.ts";
import { RESTORE } from "../restore/restore_tasks.ts";
import type { Frozen } from "./frozen.ts";

/**
 * Why claims of a Backup are not captured now, by their names: a Restore has begun to write into them, and has not ended.
 * Also between two attempts a volume holds neither what it did nor what it will. One that has not begun may wait for this
 * very Backup.
 */
export function beingRestored(
  { restores }: Pick<KopiurCaches, "restores">,
  { sources }: Pick<Frozen, "sources">,
): ReadonlyMap<string, Problem> {
  const found = sources.flatMap(({ pvc }) => {
    const restore = restores.indexed(BY_CLAIM, pvc).find(isUnderWay);
    return restore ? [[pvc, writtenBy(restore, pvc)] as const] : [];
  });
  return new Map(found);
}

/** Whether a Restore begins to write, or has ended. */
export function beginsOrEnds(change: Change<Restore>): boolean {
  if (change.type !== "updated") return isUnderWay(change.type === "added" ? change.object : change.previous);
  return isUnderWay(change.object) !== isUnderWay(change.previous);
}

function isUnderWay({ status }: Restore): boolean {
  return hasBegun(recordOf(status, RESTORE));
}

function writtenBy(restore: Restore, pvc: string): Problem {
  return waits(
    "VolumeBeingRestored",
    `Restore ${keyOf(restore)} writes into PersistentVolumeClaim ${pvc}. Until that has ended, also between two attempts, what is in the volume is not whole, and is not backed up. The backup goes on by itself then; see the Restore's conditions.`,
  );
}
