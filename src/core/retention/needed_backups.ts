import type { SnapshotReference } from "../../wire/work.ts";
import { commonNames } from "../catalog/snapshot_owner_index.ts";

/** A backup, with the snapshots that it stands for. */
export interface BackupSnapshots {
  readonly key: string;
  readonly snapshots: readonly SnapshotReference[];
}

/** What a restore reads: a backup by its key, a snapshot, or one as the other. */
export interface NeededSnapshot {
  readonly backup?: string | undefined;
  readonly snapshot?: SnapshotReference | undefined;
}

/** Those backups that somebody reads, or is about to, under whichever name. */
export function neededBackups<B extends BackupSnapshots>(
  backups: readonly B[],
  needed: Iterable<NeededSnapshot>,
): readonly B[] {
  const keys = new Set<string>();
  const names = new Set<string>();
  for (const { backup, snapshot } of needed) {
    if (backup !== undefined) keys.add(backup);
    for (const name of snapshot ? commonNames(snapshot) : []) names.add(name);
  }
  const isNamed = (one: SnapshotReference) => commonNames(one).some((name) => names.has(name));
  return backups.filter(({ key, snapshots }) => keys.has(key) || (names.size > 0 && snapshots.some(isNamed)));
}
