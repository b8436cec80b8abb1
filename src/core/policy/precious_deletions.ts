/** A backup whose snapshots the repository holds. */
export interface StoredBackup {
  readonly uid: string;
  /** Somebody outside asked to delete it. */
  readonly going: boolean;
  /** The volumes that it holds a snapshot of. */
  readonly volumes: readonly string[];
  /** Those of them that would be restored from it only if somebody named it. Default: none. */
  readonly doubtful?: readonly string[];
}

/** Why a deletion is held though there are few: with it goes the last backup of a volume, or most that there are. */
export type Precious = "LastOfVolume" | "MostOfAll";

/** So few are not most of anything. */
const FEW = 2;

/**
 * Which of the backups of one BackupConfig, or whatever else makes backups of the same volumes, must not just go. `gone`:
 * so many went shortly before, of which a script that deletes one after the other shows only the last.
 */
export function preciousDeletions(backups: readonly StoredBackup[], gone = 0): ReadonlyMap<string, Precious> {
  const going = backups.filter((one) => one.going);
  const staying = backups.filter((one) => !one.going);
  const all = going.length + gone;
  const most = all >= FEW && all > staying.length;
  const [good, kept] = [goodVolumes(backups), goodVolumes(staying)];
  const left = new Set(staying.flatMap(({ volumes }) => volumes));
  // Where none is good, any is better than none.
  const isLast = (volume: string) => !(good.has(volume) ? kept : left).has(volume);
  return new Map(
    going.flatMap(({ uid, volumes }): readonly (readonly [string, Precious])[] => {
      if (volumes.some(isLast)) return [[uid, "LastOfVolume"]];
      return most ? [[uid, "MostOfAll"]] : [];
    }),
  );
}

function goodVolumes(backups: readonly StoredBackup[]): ReadonlySet<string> {
  return new Set(
    backups.flatMap(({ volumes, doubtful = [] }) => volumes.filter((volume) => !doubtful.includes(volume))),
  );
}
