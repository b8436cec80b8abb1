import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { FoundEntry } from "../../wire/session.ts";

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
  /** So many entries are kept, of the newest snapshots first. Default: all. */
  readonly most?: number;
  /** There are more. */
  readonly onCut?: () => void;
}

/** So many snapshots are searched at once: a session answers a few more. */
const AT_ONCE = 4;

/** Looks for a name in the snapshots of Backups, given oldest first. Snapshots of equal content are read once. */
export async function sightings(
  backups: readonly Backup[],
  { name, search, onBackup, most = Number.POSITIVE_INFINITY, onCut = () => {} }: SightingsOptions,
): Promise<readonly Sighting[]> {
  const found = new Map<string, Sighting>();
  const known = new Map<string, readonly FoundEntry[]>();
  const all = backups.flatMap((backup) => snapshotsOf(backup).map((snapshot) => ({ backup, ...snapshot })));
  const wanted = [...new Map(all.toReversed().map((one) => [one.root, one])).values()];
  let left = most;
  const look = async ({ backup, id, root }: (typeof wanted)[number]) => {
    onBackup?.(backup);
    const entries: FoundEntry[] = [];
    known.set(root, entries);
    for await (const entry of search(id, name)) {
      if (left <= 0) return onCut();
      left--;
      entries.push(entry);
    }
  };
  // The first one alone: what the others share with it, the session then has read.
  const [first, ...others] = wanted;
  if (first) await look(first);
  const lookOn = async () => {
    for (let next = others.shift(); next; next = others.shift()) {
      if (left <= 0) return onCut();
      await look(next);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lookOn));
  for (const backup of backups) {
    for (const { root, pvc, identity } of snapshotsOf(backup)) {
      const { sourcePath } = identity;
      const entries = known.get(root) ?? [];
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

function snapshotsOf({ status }: Backup) {
  return (status?.snapshots ?? []).map(({ kopiaSnapshotID: id, root = id, pvc, identity }) => ({
    id,
    root,
    pvc,
    identity,
  }));
}
