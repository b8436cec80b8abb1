import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { FoundEntry } from "../../wire/session.ts";
import { allOf } from "./all_of.ts";

/** One form of a file, and the Backups that hold it, oldest first. */
export interface Sighting {
  readonly path: string;
  readonly size: number;
  readonly modifiedAt: string;
  readonly backups: readonly string[];
}

export interface SightingsOptions {
  /** A glob. */
  readonly name: string;
  readonly search: (snapshot: string, name: string) => AsyncIterable<FoundEntry>;
  readonly onBackup?: (backup: Backup) => void;
}

/** Looks for a name in the snapshots of Backups, given oldest first. Snapshots of equal content are read once. */
export async function sightings(
  backups: readonly Backup[],
  { name, search, onBackup }: SightingsOptions,
): Promise<readonly Sighting[]> {
  const found = new Map<string, Sighting>();
  const known = new Map<string, readonly FoundEntry[]>();
  for (const backup of backups) {
    onBackup?.(backup);
    for (const { kopiaSnapshotID: id, root = id } of backup.status?.snapshots ?? []) {
      const entries = known.get(root) ?? (await allOf(search(id, name)));
      known.set(root, entries);
      for (const { path, size, modifiedAt } of entries) {
        const key = `${path}\0${size}\0${modifiedAt}`;
        const before = found.get(key)?.backups ?? [];
        found.set(key, { path, size, modifiedAt, backups: [...before, backup.metadata.name] });
      }
    }
  }
  return [...found.values()].toSorted((a, b) => a.path.localeCompare(b.path));
}
