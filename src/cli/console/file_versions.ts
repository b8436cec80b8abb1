import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { SnapshotStatus } from "../../kinds/kopiur/parts.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Entry } from "../../wire/entry.ts";
import type { FileVersion } from "./contract.ts";

/** A Backup, and its snapshot of the volume that the file is in. */
export interface Held {
  readonly backup: Backup;
  readonly snapshot: SnapshotStatus;
}

export interface VersionsOptions {
  /** Newest first. */
  readonly held: readonly Held[];
  readonly entry: (snapshot: string) => Promise<Entry>;
}

/** The forms of one file, the newest first. Snapshots of equal content are asked once. */
export async function fileVersions({ held, entry }: VersionsOptions): Promise<readonly FileVersion[]> {
  const known = new Map<string, Entry | undefined>();
  const versions = new Map<string, FileVersion>();
  for (const { backup, snapshot } of held) {
    const { kopiaSnapshotID: id, root = id } = snapshot;
    if (!known.has(root)) known.set(root, await orMissing(entry(id)));
    const found = known.get(root);
    if (!found || found.type === "Folder") continue;
    const { size, modifiedAt } = found;
    const key = `${size}\0${modifiedAt}`;
    const { namespace = "", name } = backup.metadata;
    const several = (backup.status?.snapshots?.length ?? 0) > 1;
    const pvc = several ? snapshot.pvc?.split("/")[1] : undefined;
    const at = backup.status?.timing?.startTime ?? backup.metadata.creationTimestamp;
    const where = { namespace, backup: name, at, ...(pvc === undefined ? {} : { pvc }) };
    versions.set(key, { size, modifiedAt, in: [...(versions.get(key)?.in ?? []), where] });
  }
  return [...versions.values()];
}

async function orMissing(asked: Promise<Entry>): Promise<Entry | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof EngineError && ["PathMissing", "SnapshotMissing"].includes(error.class))
      return undefined;
    throw error;
  }
}
