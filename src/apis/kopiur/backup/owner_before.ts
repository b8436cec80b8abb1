import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { SnapshotStatus } from "../../../kinds/kopiur/parts.ts";
import type { Owner } from "../../../wire/snapshot.ts";

/**
 * The one to whom all belonged that the last of these Backups stored, root's aside; undefined where there were several.
 * A mover that runs as this user reads also what nobody else may.
 */
export function ownerBefore(backups: readonly Backup[]): Owner | undefined {
  const [last] = backups.filter(isWhole).toSorted((a, b) => endOf(b).localeCompare(endOf(a)));
  const owners = (last?.status?.snapshots ?? []).map(({ owner }: SnapshotStatus) => owner);
  const [one, ...others] = owners.filter((owner) => owner?.uid !== 0);
  return others.every((other) => other?.uid === one?.uid && other?.gid === one?.gid) ? one : undefined;
}

function isWhole({ status }: Backup): boolean {
  return status?.phase === "Succeeded" && (status.snapshots ?? []).length > 0;
}

/** By the operator's clock, in one form for all. */
function endOf({ metadata, status }: Backup): string {
  return status?.timing?.endTime ?? metadata.creationTimestamp ?? "";
}
