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

/** Whether there is a place for caches. One that cannot be written would make every engine fail in words of its own. */
export async function hasCacheIn(folder: string): Promise<boolean> {
  const may = (mode: number) =>
    access(folder, mode).then(
      () => true,
      () => false,
    );
  if (!(await may(constants.F_OK))) return false;
  if (await may(constants.W_OK | constants.X_OK)) return true;
  throw new EngineError("InvalidOption", "the volume of the mover's cache cannot be written by the mover", {
    remedy:
      "Leave cache.storageClassName out, use a storage class whose new volumes anybody may write, or let the mover run as root (privilegedMode).",
  });
}
