import { shrunkRuns } from "../policy/prune_guard.ts";
import type { RestoreOptions } from "./restore.ts";
import { relativePath } from "./restored_path.ts";

/** What is known of a restore that deletes what its snapshot does not hold. */
export interface DeletionFacts {
  readonly options: Pick<RestoreOptions, "enableFileDeletion" | "path" | "targetPath">;
  /** Of the snapshot's files, where known. */
  readonly snapshotBytes: number | undefined;
  /** What of its volume the snapshot does not hold. Default: nothing is missing. */
  readonly lacks?: string | undefined;
  /** The most that the last backups of the target's own volume held, where it has any. */
  readonly targetBytes: number | undefined;
}

/** A snapshot below this share of what the volume held is far smaller. */
const SMALLEST_SHARE = 0.5;

/** What a snapshot does not hold of its volume, also where its run was allowed to leave that out. */
export function lackOf({
  incomplete,
  failedFiles = 0,
}: {
  readonly incomplete?: string | undefined;
  readonly failedFiles?: number | undefined;
}): string | undefined {
  if (incomplete !== undefined) return incomplete;
  return failedFiles > 0 ? `${failedFiles} could not be read when it was made` : undefined;
}

/** So many of the last backups of a volume tell how much it held. */
const RECENT = 7;

/**
 * The most that the last backups of a volume held. However often it was backed up since it had shrunk, those tell nothing
 * of what it held before. `accepted`: the one whose smaller volume somebody accepted.
 */
export function largestOf(
  backups: readonly { readonly id: string; readonly at: number; readonly bytes: number }[],
  accepted?: string,
): number | undefined {
  const shrunk = shrunkRuns(backups, accepted);
  const last = backups
    .filter(({ id }) => !shrunk.has(id))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, RECENT)
    .map(({ bytes }) => bytes);
  return last.length > 0 ? Math.max(...last) : undefined;
}

/**
 * Why such a restore would delete what nobody means to lose, so that somebody has to say that it is meant; undefined where
 * it would not. One folder that comes back to its own place is the business of whoever names it.
 */
export function deletionDoubt({
  options,
  snapshotBytes,
  lacks,
  targetBytes = 0,
}: DeletionFacts): string | undefined {
  const { enableFileDeletion, path = "", targetPath = path } = options;
  if (!enableFileDeletion) return undefined;
  if (lacks !== undefined)
    return `the snapshot does not hold all of its volume (${lacks}): what it lacks would be deleted from the target`;
  const [from, to] = [relativePath(path), relativePath(targetPath)];
  if (from !== to && to === "") return `everything in the volume but the content of ${from} would be deleted`;
  if (to !== "" || snapshotBytes === undefined) return undefined;
  if (snapshotBytes === 0) return "the snapshot is empty, and every file of the volume would be deleted";
  if (snapshotBytes >= targetBytes * SMALLEST_SHARE) return undefined;
  return `the snapshot holds ${snapshotBytes} bytes, and the last backups of the volume ${targetBytes}: most of its files would be deleted`;
}
