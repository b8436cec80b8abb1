import { access, constants, stat } from "node:fs/promises";
import { EngineError } from "../wire/engine_error.ts";
import { onlyOwner } from "../wire/only_owner.ts";
import type { Owner } from "../wire/snapshot.ts";

/**
 * The folder that is backed up, as it was when that began. When its volume is unmounted meanwhile, an engine sees
 * nothing but files that vanish, and takes what is left for all there is.
 */
export class SourceFolder {
  readonly #path: string;
  readonly #what: string;
  readonly #first: string;

  /** Refuses a source that is no folder, or may not be read. `what` is the beginning of an error's message. */
  static async look(path: string, what: string): Promise<SourceFolder> {
    try {
      const identity = await identityOf(path);
      await access(path, constants.R_OK | constants.X_OK);
      return new SourceFolder(path, what, identity);
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code !== "EACCES") throw new EngineError("SourceMissing", `${what}: ${message}`, { cause });
      throw new EngineError("SourceUnreadable", `${what}: ${message}`, { cause, ...(await ownerOf(path)) });
    }
  }

  constructor(path: string, what: string, first: string) {
    this.#path = path;
    this.#what = what;
    this.#first = first;
  }

  /** The error when another folder is in its place by now, or none. The next attempt's pod has the volume mounted anew. */
  async lost(): Promise<EngineError | undefined> {
    const now = await identityOf(this.#path).catch(() => undefined);
    if (now === this.#first) return undefined;
    const why = `${this.#path} was removed or unmounted while it was backed up`;
    return new EngineError("Interrupted", `${this.#what}: ${why}`);
  }
}

async function identityOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true });
  if (!found.isDirectory()) throw new Error(`${path} is not a folder`);
  return `${found.dev}:${found.ino}`;
}

async function ownerOf(path: string): Promise<{ readonly owner?: Owner }> {
  const found = await stat(path).catch(() => undefined);
  return found ? onlyOwner([found]) : {};
}
