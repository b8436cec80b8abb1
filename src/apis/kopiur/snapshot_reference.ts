import type { SnapshotStatus } from "../../kinds/kopiur/parts.ts";
import type { SnapshotReference } from "../../wire/work.ts";

/** What a status keeps of a snapshot. */
export interface KeptSnapshot {
  readonly id: string;
  readonly run?: string | undefined;
  readonly root?: string | undefined;
  readonly identity?:
    | { readonly username: string; readonly hostname: string; readonly sourcePath: string }
    | undefined;
}

/** What a mover is told of a snapshot, so that it finds it again when its ID has changed. */
export function snapshotReference({ id, run, root, identity }: KeptSnapshot): SnapshotReference {
  const { username, hostname, sourcePath: path } = identity ?? {};
  const whole = username !== undefined && hostname !== undefined && path !== undefined;
  return {
    id,
    ...(run ? { run } : {}),
    ...(root ? { root } : {}),
    ...(whole ? { identity: { username, hostname, path } } : {}),
  };
}

/** The same of one that a Backup stands for. */
export function entryReference(entry: SnapshotStatus): SnapshotReference {
  const { kopiaSnapshotID: id, runID: run, root, identity } = entry;
  return snapshotReference({ id, run, root, identity });
}
