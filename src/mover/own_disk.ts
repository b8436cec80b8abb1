import { access, constants } from "node:fs/promises";
import { EngineError } from "../wire/engine_error.ts";

/** The folders of a mover that are on the node's disk, and nobody else's. */
export interface OwnFolders {
  readonly cache: string;
  /** For what is private and temporary. */
  readonly scratch: string;
}

/** Engines say that something is full, and not whose it is: the file that they could not write tells. */
export function withFullDisk(error: unknown, { cache, scratch }: OwnFolders): unknown {
  if (!(error instanceof EngineError)) return error;
  const full = (error.detail ?? "").split("\n").filter((line) => /no space left|quota exceeded/i.test(line));
  const detail = error.detail ?? "";
  if (full.some((line) => line.includes(`${cache}/`))) {
    return new EngineError("CacheFull", `the mover's cache is full: ${error.message}`, { detail });
  }
  if (full.some((line) => line.includes(`${scratch}/`))) {
    const remedy = "Free space on the node's disk, or raise the mover's limit of ephemeral storage.";
    return new EngineError("CacheFull", `the mover's place for temporary files is full: ${error.message}`, {
      detail,
      remedy,
    });
  }
  return error;
}

/** Whether there is a place for caches, and one that can be written: of any other, every engine would fail. */
export type CachePlace = "writable" | "forbidden" | "none";

/** A new volume of most drivers is root's alone, and may not be given to another group beside volumes of others. */
export async function cachePlace(folder: string): Promise<CachePlace> {
  const may = (mode: number) =>
    access(folder, mode).then(
      () => true,
      () => false,
    );
  if (!(await may(constants.F_OK))) return "none";
  return (await may(constants.W_OK | constants.X_OK)) ? "writable" : "forbidden";
}

/** What is told of a cache that cannot be where it was asked for. */
export const CACHE_FORBIDDEN =
  "The volume of the mover's cache cannot be written by the mover, so the cache was on the node's disk. Leave cache.storageClassName out, use a storage class whose new volumes anybody may write, or let the mover run as root (privilegedMode).";
