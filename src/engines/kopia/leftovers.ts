import type { Dirent } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, sleep } from "../../lib/clock.ts";

/** What kopia calls a blob while it writes it. */
const UNFINISHED = /\.tmp\.[0-9a-f]+$/;

/** Somebody who still writes has written more by then, or has finished. */
const STILL_MS = 5000;

/**
 * Removes blobs from a repository's folder that were begun and never finished: on a full disk kopia leaves one with
 * each of its attempts. What changes while this looks at it is somebody's who is still at it. Returns how many.
 */
export async function removeLeftovers(folder: string, clock: Clock): Promise<number> {
  const before = await unfinished(folder);
  if (before.size === 0) return 0;
  await sleep(clock, STILL_MS);
  const after = await unfinished(folder);
  const left = [...after].filter(([path, state]) => before.get(path) === state);
  for (const [path] of left) await rm(path, { force: true });
  return left.length;
}

/** Unfinished blobs by their path, each with its size and time. */
async function unfinished(folder: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const entries: readonly Dirent[] = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  for (const entry of entries) {
    if (!entry.isFile() || !UNFINISHED.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const info = await lstat(path, { bigint: true }).catch(() => undefined);
    if (info) found.set(path, `${info.size} ${info.mtimeNs}`);
  }
  return found;
}
