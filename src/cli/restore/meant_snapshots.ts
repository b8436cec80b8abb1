import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { SnapshotStatus } from "../../kinds/kopiur/parts.ts";
import { isNamed } from "./recipe_backups.ts";

/**
 * The snapshots of a Backup that a Restore may take: of the volume that a word names, or of several of that which is
 * restored into, by its name.
 */
export function meantSnapshots(
  { status }: Backup,
  { word, target }: { readonly word: string | undefined; readonly target: string | undefined },
): readonly SnapshotStatus[] {
  const { snapshots = [] } = status ?? {};
  const meant = word ?? (snapshots.length > 1 ? target : undefined);
  return snapshots.filter(({ pvc, identity: { sourcePath } }) => isNamed({ pvc, sourcePath }, meant));
}
