import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { keyOf } from "../../../kube/object.ts";
import { beingFilled } from "../restore/populate/population_memory.ts";
import type { Pinned } from "../restore/resolution.ts";

/** What a restore reads. */
interface Wanted {
  readonly backupRef?: Pinned["backupRef"] | undefined;
  readonly snapshotID?: string;
}

/** The names of those Backups that a restore reads, or is about to. */
export function neededBackups(backups: readonly Backup[], restores: Iterable<Restore>): ReadonlySet<string> {
  const keys = new Set<string>();
  const snapshots = new Set<string>();
  for (const restore of restores) {
    const { metadata, spec, status } = restore;
    const { backupRef: named } = spec.source;
    const own: readonly Wanted[] = isOver(restore) ? [] : [{ backupRef: named }, status?.resolved ?? {}];
    // One of several claims may have failed while others are filled.
    for (const { backupRef, snapshotID } of [...own, ...beingFilled(status)]) {
      if (snapshotID !== undefined) snapshots.add(snapshotID);
      if (backupRef) keys.add(keyOf({ namespace: metadata.namespace, ...backupRef }));
    }
  }
  const needed = backups.filter(
    (backup) =>
      keys.has(keyOf(backup)) ||
      backup.status?.snapshots?.some(({ kopiaSnapshotID }) => snapshots.has(kopiaSnapshotID)),
  );
  return new Set(needed.map(({ metadata }) => metadata.name));
}

/** A restore needs nothing any more. */
export function isOver({ status }: Restore): boolean {
  return status?.phase === "Completed" || status?.phase === "Failed";
}
