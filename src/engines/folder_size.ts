import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Bytes of the files below a folder; 0 when there is none. */
export async function folderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  let size = 0;
  for (const name of entries) size += (await lstat(join(folder, name)).catch(() => undefined))?.size ?? 0;
  return size;
}
