import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { FoundEntry } from "../../wire/session.ts";
import { allOf } from "./all_of.ts";

/** One form of a file, and the Backups that hold it, oldest first. */
export interface Sighting {
  /** Its claim, as namespace/name; of what was found and names none, the path that is recorded. */
  readonly volume: string;
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
    for (const { kopiaSnapshotID: id, root = id, pvc, identity } of backup.status?.snapshots ?? []) {
      const { sourcePath } = identity;
      const entries = known.get(root) ?? (await allOf(search(id, name)));
      known.set(root, entries);
      for (const { path, size, modifiedAt } of entries) {
        // The path tells the volumes of a recipe apart, also where no claim is known.
        const key = `${sourcePath}\0${path}\0${size}\0${modifiedAt}`;
        const before = found.get(key);
        const volume = pvc ?? before?.volume ?? sourcePath;
        const names = [...(before?.backups ?? []), backup.metadata.name];
        found.set(key, { volume, path, size, modifiedAt, backups: names });
      }
    }
  }
  return [...found.values()].toSorted(
    (a, b) => a.path.localeCompare(b.path) || a.volume.localeCompare(b.volume),
  );
}
