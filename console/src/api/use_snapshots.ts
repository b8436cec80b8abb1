import { useQuery } from "@tanstack/react-query";
import type { FilesOf, SnapshotRow } from "../../../src/cli/console/contract.ts";
import { lookedIn } from "../text/looked_in.ts";
import { sessionQuery, snapshotsQuery } from "./queries.ts";

/** A snapshot whose files can be looked at. */
export type Browsable = SnapshotRow & { readonly files: FilesOf };

/** So many of one volume can be chosen from. */
const MOST = 1_000;

/** The volume that a snapshot is of, and its other snapshots, newest first. */
export interface VolumeSnapshots {
  /** As namespace/name, once it is known. */
  readonly volume: string | undefined;
  readonly rows: readonly Browsable[];
  readonly isPending: boolean;
  readonly error: Error | null;
}

/** The snapshots of a volume, as namespace/name; or of the volume that a snapshot is of. */
export function useSnapshots(of: Partial<FilesOf>, named?: string): VolumeSnapshots {
  const { data: session } = useQuery(sessionQuery);
  const home = session?.namespace;
  const lookup = named === undefined && of.backup !== undefined && of.namespace !== undefined;
  const found = useQuery({
    ...snapshotsQuery({ namespace: lookedIn(home, of), text: of.backup, limit: 100 }),
    enabled: lookup,
  });
  const volume = named ?? found.data?.items.find((row) => isOf(row, of))?.claim;
  const namespace = lookedIn(home, { ...of, volume });
  const all = useQuery({
    ...snapshotsQuery({ namespace, volume, limit: MOST }),
    enabled: volume !== undefined,
  });
  return {
    volume,
    rows: (all.data?.items ?? []).flatMap((row) => (row.files ? [{ ...row, files: row.files }] : [])),
    isPending: (lookup && found.isPending) || (volume !== undefined && all.isPending),
    error: found.error ?? all.error,
  };
}

export function isOf({ files }: SnapshotRow, { namespace, backup, pvc }: Partial<FilesOf>): boolean {
  return (
    files !== undefined &&
    files.namespace === namespace &&
    files.backup === backup &&
    (pvc === undefined || files.pvc === undefined || files.pvc === pvc)
  );
}
