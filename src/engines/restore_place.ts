import { lstat, mkdir } from "node:fs/promises";
import { join, posix } from "node:path";
import { EngineError } from "../wire/engine_error.ts";
import type { Entry } from "../wire/entry.ts";
import type { RestoreOptions } from "./engine.ts";
import type { FidelityProgram } from "./fidelity/fidelity_program.ts";
import { secondsAndNanoseconds } from "./seconds_and_nanoseconds.ts";
import { targetError } from "./target_error.ts";

/** A path within a snapshot or a target, without empty and doubled parts. */
export function partsOf(path = ""): readonly string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

type Asked = Pick<RestoreOptions, "path" | "targetPath">;

/**
 * The folder of the target, relative to it, that gets the one file, or what is in the folder that is restored: where that
 * was in the source, unless another is named.
 */
export function placeOf({ path, targetPath }: Asked, isFolder: boolean): string {
  if (targetPath !== undefined) return partsOf(targetPath).join("/");
  const own = partsOf(path);
  return (isFolder ? own : own.slice(0, -1)).join("/");
}

/**
 * Makes that folder, and returns those on the way to it that were not there, the upper ones first. What is no folder is
 * in the way: whoever follows a symlink may come to write into another volume.
 */
export async function makePlace(target: string, place: string, what: string): Promise<readonly string[]> {
  const made: string[] = [];
  let at = "";
  for (const part of partsOf(place)) {
    at = posix.join(at, part);
    try {
      const found = await lstat(join(target, at)).catch(ifAbsent);
      if (found && !found.isDirectory()) throw inTheWay(what, at, found.isSymbolicLink());
      if (!found) {
        await mkdir(join(target, at));
        made.push(at);
      }
    } catch (cause) {
      throw targetError(what, cause);
    }
  }
  return made;
}

function ifAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

function inTheWay(what: string, path: string, isLink: boolean): EngineError {
  const kind = isLink ? "a symbolic link" : "not a folder";
  return new EngineError(
    "TargetExists",
    `${what}: ${path} on the volume is ${kind}, and a folder belongs there`,
    {
      remedy: `Remove or rename ${path} on the volume, or restore into another folder with options.targetPath.`,
    },
  );
}

/** Gives folders that a restore made on the way to its place the modes, owners and times that they had in the snapshot. */
export async function dressMade(
  fidelity: Pick<FidelityProgram, "applyRoot">,
  { target, ownership, signal }: Pick<RestoreOptions, "target" | "ownership" | "signal">,
  made: readonly { readonly path: string; readonly entry: Entry }[],
): Promise<void> {
  const self = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
  // The lower ones first: each changes the time of the one above.
  for (const { path, entry } of made.toReversed()) {
    const { mode, modifiedAt, owner = self } = entry;
    const attributes = {
      mode,
      owner: ownership === "Skip" ? self : owner,
      time: secondsAndNanoseconds(modifiedAt),
    };
    await fidelity.applyRoot(join(target, path), attributes, signal);
  }
}
