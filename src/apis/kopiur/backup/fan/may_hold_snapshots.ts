import type { BackupPart } from "./sum_of.ts";

/**
 * Whether snapshots may go with the Backup in a namespace, as far as the one that asked for it tells. One that failed may
 * hold good ones, where only a hook after the capture failed; of one that was made, only a count of none says that it
 * holds none.
 */
export function mayHoldSnapshots({ uid, phase, snapshots }: BackupPart): boolean {
  return phase === "Succeeded" || (snapshots === undefined ? uid !== undefined : snapshots > 0);
}
