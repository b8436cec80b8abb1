import type { RestoreOptions } from "./restore.ts";
import { relativePath } from "./restored_path.ts";

/** What is known of a restore that deletes what its snapshot does not hold. */
export interface DeletionFacts {
  readonly options: Pick<RestoreOptions, "enableFileDeletion" | "path" | "targetPath">;
  /** Of the snapshot's files, where known. */
  readonly snapshotBytes: number | undefined;
  /** The most that the last backups of the target's own volume held, where it has any. */
  readonly targetBytes: number | undefined;
}

/** A snapshot below this share of what the volume held is far smaller. */
const SMALLEST_SHARE = 0.5;

/**
 * Why such a restore would delete most of a volume, so that somebody has to say that it is meant; undefined where it
 * would not. One folder is the business of whoever names it.
 */
export function deletionDoubt({
  options,
  snapshotBytes,
  targetBytes = 0,
}: DeletionFacts): string | undefined {
  const { enableFileDeletion, path = "", targetPath = "" } = options;
  const isWhole = relativePath(path) === "" && relativePath(targetPath) === "";
  if (!enableFileDeletion || !isWhole || snapshotBytes === undefined) return undefined;
  if (snapshotBytes === 0) return "the snapshot is empty, and every file of the volume would be deleted";
  if (snapshotBytes >= targetBytes * SMALLEST_SHARE) return undefined;
  return `the snapshot holds ${snapshotBytes} bytes, and the last backups of the volume ${targetBytes}: most of its files would be deleted`;
}
