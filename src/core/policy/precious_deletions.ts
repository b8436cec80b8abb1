/** A backup that succeeded, and whose snapshots the repository holds. */
export interface GoodBackup {
  readonly uid: string;
  /** Somebody outside asked to delete it. */
  readonly going: boolean;
  /** The volumes that it holds a snapshot of. */
  readonly volumes: readonly string[];
}

/** Why a deletion is held though there are few: with it goes the last backup of a volume, or most that there are. */
export type Precious = "LastOfVolume" | "MostOfAll";

/** So few are not most of anything. */
const FEW = 2;

/** Which of the backups of one BackupConfig, or whatever else makes backups of the same volumes, must not just go. */
export function preciousDeletions(backups: readonly GoodBackup[]): ReadonlyMap<string, Precious> {
  const going = backups.filter((one) => one.going);
  const staying = backups.filter((one) => !one.going);
  const most = going.length >= FEW && going.length > staying.length;
  const kept = new Set(staying.flatMap(({ volumes }) => volumes));
  return new Map(
    going.flatMap(({ uid, volumes }): readonly (readonly [string, Precious])[] => {
      if (volumes.some((volume) => !kept.has(volume))) return [[uid, "LastOfVolume"]];
      return most ? [[uid, "MostOfAll"]] : [];
    }),
  );
}
