import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { keyOf } from "../../../kube/object.ts";

/** The names of those Backups that a restore reads, or is about to. */
export function neededBackups(backups: readonly Backup[], restores: Iterable<Restore>): ReadonlySet<string> {
  const keys = new Set<string>();
  const snapshots = new Set<string>();
  for (const restore of restores) {
    if (isOver(restore)) continue;
    const { metadata, spec, status } = restore;
    const { backupRef, snapshotID } = status?.resolved ?? {};
    if (snapshotID !== undefined) snapshots.add(snapshotID);
    for (const ref of [spec.source.backupRef, backupRef]) {
      if (ref) keys.add(keyOf({ namespace: metadata.namespace, ...ref }));
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
