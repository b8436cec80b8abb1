import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Processes } from "../../../lib/processes.ts";
import { removeTree } from "../remove_tree.ts";

/** A volume or snapshot could not be made or removed. */
export class VolumeError extends Error {
  override name = "VolumeError";
}

/** What a copy is made of. */
export interface Original {
  readonly folders: VolumeFolders;
  readonly handle: string;
}

const HANDLE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/;
/** No handle begins like this: what is not complete yet, or no longer. */
const UNFINISHED = ".unfinished-";

/**
 * Folders that hold volumes, or snapshots of them, one for each handle. A folder is there completely or not at
 * all: it is filled under another name, brought to disk and then renamed; what an interruption leaves is no volume.
 */
export class VolumeFolders {
  readonly #root: string;
  readonly #processes: Processes;
  /** The copies that are being made of each handle's folder. */
  readonly #copies = new Map<string, Set<Promise<void>>>();

  constructor(root: string, processes: Processes) {
    this.#root = root;
    this.#processes = processes;
  }

  /** Removes what an interruption has left. Before anything else. */
  async recover(): Promise<void> {
    mkdirSync(this.#root, { recursive: true, mode: 0o700 });
    const left = readdirSync(this.#root).filter((name) => name.startsWith(UNFINISHED));
    await Promise.all(left.map((name) => removeTree(this.#processes, join(this.#root, name))));
  }

  /** Where the handle's folder is, or would be. Throws on a handle that is none. */
  path(handle: string): string {
    if (!HANDLE.test(handle)) throw new VolumeError(`${JSON.stringify(handle)} is not a volume handle`);
    return join(this.#root, handle);
  }

  has(handle: string): boolean {
    return existsSync(this.path(handle));
  }

  /**
   * Makes the handle's folder, unless it is there: empty and open to everyone, or as a copy of a folder. The
   * copy shares its blocks with the original where the file system can, and has all of its owners, links, holes
   * and extended attributes. A folder that is written to meanwhile is copied as each file is found.
   */
  async fill(handle: string, original: Original | undefined, signal: AbortSignal): Promise<void> {
    const target = this.path(handle);
    if (existsSync(target)) return;
    const unfinished = join(this.#root, UNFINISHED + handle);
    await removeTree(this.#processes, unfinished);
    try {
      if (original === undefined) {
        mkdirSync(unfinished);
        chmodSync(unfinished, 0o777);
      } else {
        await original.folders.#hold(original.handle, (path) =>
          this.#run("cp", ["-a", "--reflink=auto", "--", path, unfinished], signal),
        );
      }
      await this.#run("sync", ["-f", unfinished], signal);
      renameSync(unfinished, target);
    } catch (error) {
      await removeTree(this.#processes, unfinished);
      throw error;
    }
  }

  /** Removes the handle's folder, if it is there, once no copy is being made of it. */
  async remove(handle: string): Promise<void> {
    await Promise.allSettled(this.#copies.get(handle) ?? []);
    const target = this.path(handle);
    const unfinished = join(this.#root, UNFINISHED + handle);
    if (existsSync(target)) renameSync(target, unfinished);
    await removeTree(this.#processes, unfinished);
  }

  async #hold(handle: string, copy: (path: string) => Promise<void>): Promise<void> {
    const copies = this.#copies.get(handle) ?? new Set();
    this.#copies.set(handle, copies);
    const copying = copy(this.path(handle));
    copies.add(copying);
    try {
      await copying;
    } finally {
      copies.delete(copying);
      if (copies.size === 0) this.#copies.delete(handle);
    }
  }

  async #run(command: string, args: readonly string[], signal: AbortSignal): Promise<void> {
    const { code, stderr } = await this.#processes.run(command, args, { signal });
    if (code !== 0) throw new VolumeError(`${command} failed: ${stderr.trim().slice(0, 500)}`);
  }
}
