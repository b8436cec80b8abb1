import { chmod, open, readdir, rm, stat, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, sleep } from "../lib/clock.ts";
import { EngineError } from "../wire/engine_error.ts";
import { throwIfAborted } from "./aborted.ts";
import type { RestoreOptions } from "./engine.ts";
import { targetError } from "./target_error.ts";

/** What the marks of restores are called, each with its run's ID behind it. */
export const FENCE_MARK = ".holdfast-restore-";

/** Whether a file of the target is nobody's data. */
export function isFenceMark(name: string): boolean {
  return name.startsWith(FENCE_MARK);
}

/** What is called so, a kill has left of a look at what can be set in the target. */
const PROBE_MARK = ".holdfast-probe-";

/** Whether a file of the target is no reason to take it for somebody's. */
export function isOurMark(name: string): boolean {
  return isFenceMark(name) || name.startsWith(PROBE_MARK);
}

const LOOK_MS = 5000;
/** Time to notice that one's mark is gone, and to end one's engine. Who is frozen notices it when he goes on. */
const GIVE_WAY_MS = 30_000;

export interface FenceOptions {
  /** What is being done, as the beginning of an error's message. */
  readonly what: string;
  readonly clock: Clock;
  /** The engine itself may remove what is not in the snapshot, the mark too. Default false. */
  readonly mayVanish?: boolean;
}

/**
 * Keeps two movers from writing content to one volume for long: one that was given up unseen may be at work. Each leaves
 * a mark in its target, removes those of others and gives them time; whoever misses his own stops. That helps where both
 * see one file system, and not where two nodes take a disk for theirs alone.
 */
export async function fenced<T>(
  options: RestoreOptions,
  how: FenceOptions,
  restore: (options: RestoreOptions) => Promise<T>,
): Promise<T> {
  if (options.fence === undefined) return restore(options);
  const fence = new TargetFence(options, how, options.fence.run);
  try {
    await fence.raise(options.fence.ended);
    const signals = options.signal ? [options.signal, fence.signal] : [fence.signal];
    const result = await restore({ ...options, signal: AbortSignal.any(signals) });
    throwIfAborted(how.what, fence.signal);
    return result;
  } finally {
    await fence.lower();
  }
}

class TargetFence {
  readonly #target: string;
  readonly #mark: string;
  readonly #how: FenceOptions;
  readonly #told: AbortSignal | undefined;
  readonly #lost = new AbortController();
  #lowered = false;
  #looking: Promise<void> = Promise.resolve();
  #cancel = () => {};

  constructor({ target, signal }: RestoreOptions, how: FenceOptions, run: string) {
    this.#target = target;
    this.#mark = join(target, `${FENCE_MARK}${run}`);
    this.#how = how;
    this.#told = signal;
  }

  /** Aborts when another run has taken the target over. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** `ended`: runs that need not be waited for. */
  async raise(ended: readonly string[]): Promise<void> {
    const { what, clock } = this.#how;
    let others: readonly string[];
    try {
      await this.#leaveMark();
      others = await this.#others();
      for (const name of others) await rm(join(this.#target, name), { force: true });
    } catch (cause) {
      throw targetError(what, cause);
    }
    if (others.some((name) => !ended.includes(name.slice(FENCE_MARK.length))))
      await sleep(clock, GIVE_WAY_MS, this.#told).catch(() => {});
    this.#lookLater();
  }

  /** Removes the mark. The folder's mode and times stay as they are: not every restore sets them after this. */
  async lower(): Promise<void> {
    this.#lowered = true;
    this.#cancel();
    await this.#looking;
    try {
      const { mode, atimeNs, mtimeNs } = await stat(this.#target, { bigint: true });
      await this.#removeMark(Number(mode) & 0o7777);
      await utimes(this.#target, Number(atimeNs) / 1e9, Number(mtimeNs) / 1e9);
    } catch {
      // It is gone, or not ours to remove: either way, what was restored is there.
    }
  }

  #lookLater(): void {
    if (this.#lowered || this.#lost.signal.aborted) return;
    this.#cancel = this.#how.clock.after(LOOK_MS, () => {
      this.#looking = this.#look().then(() => this.#lookLater());
    });
  }

  async #look(): Promise<void> {
    if (await this.#isThere()) return;
    if (this.#how.mayVanish) {
      const others = await this.#others().catch(() => undefined);
      if (others === undefined) return;
      if (others.length === 0) return this.#leaveMark().catch(() => {});
    }
    const why = "another run has taken the target over, or somebody removed this one's mark from it";
    this.#lost.abort(new EngineError("Interrupted", `${this.#how.what}: ${why}`));
  }

  /** The mark is opened, since a network's file system may answer from memory whoever only asks for it. */
  async #isThere(): Promise<boolean> {
    try {
      await (await open(this.#mark)).close();
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A volume that does not answer says nothing about who has it.
      return code !== "ENOENT" && code !== "ESTALE";
    }
  }

  /** Whoever backs the volume up can read one that was left. */
  #leaveMark(): Promise<void> {
    return writeFile(this.#mark, "", { mode: 0o644 });
  }

  /** `mode`: the folder's, which may have become read-only by what was restored. */
  async #removeMark(mode: number): Promise<void> {
    try {
      await unlink(this.#mark);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
      await chmod(this.#target, mode | 0o300);
      try {
        await unlink(this.#mark);
      } finally {
        await chmod(this.#target, mode);
      }
    }
  }

  /** The marks of other runs. Rejects when that cannot be told. */
  async #others(): Promise<readonly string[]> {
    const found = await readdir(this.#target, { withFileTypes: true });
    return found
      .filter((entry) => entry.isFile() && isFenceMark(entry.name))
      .map(({ name }) => name)
      .filter((name) => join(this.#target, name) !== this.#mark);
  }
}
