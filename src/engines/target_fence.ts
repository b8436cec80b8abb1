import { lstat, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, sleep } from "../lib/clock.ts";
import { messageOf } from "../lib/result.ts";
import { EngineError } from "../wire/engine_error.ts";
import { throwIfAborted } from "./aborted.ts";
import type { RestoreOptions } from "./engine.ts";

/** What the marks of restores are called, each with its run's ID behind it. */
export const FENCE_MARK = ".holdfast-restore-";

/** Whether a file of the target is nobody's data. */
export function isFenceMark(name: string): boolean {
  return name.startsWith(FENCE_MARK);
}

const LOOK_MS = 5000;
/** By then whoever lost his mark has noticed it, and his engine has ended. */
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
  await fence.raise(options.fence.ended);
  try {
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
    try {
      await writeFile(this.#mark, "", { mode: 0o600 });
    } catch (cause) {
      const full = (cause as NodeJS.ErrnoException).code === "ENOSPC";
      throw new EngineError(full ? "TargetFull" : "TargetNotWritable", `${what}: ${messageOf(cause)}`, {
        cause,
      });
    }
    const others = await this.#others();
    for (const name of others) await rm(join(this.#target, name), { force: true });
    if (others.some((name) => !ended.includes(name.slice(FENCE_MARK.length))))
      await sleep(clock, GIVE_WAY_MS, this.#told).catch(() => {});
    this.#lookLater();
  }

  /** Removes the mark. The folder's own attributes are set after that, since this changes its time. */
  async lower(): Promise<void> {
    this.#lowered = true;
    this.#cancel();
    await this.#looking;
    await rm(this.#mark, { force: true }).catch(() => {});
  }

  #lookLater(): void {
    if (this.#lowered || this.#lost.signal.aborted) return;
    this.#cancel = this.#how.clock.after(LOOK_MS, () => {
      this.#looking = this.#look().then(() => this.#lookLater());
    });
  }

  async #look(): Promise<void> {
    const there = await lstat(this.#mark).then(
      () => true,
      // A volume that does not answer says nothing about who has it.
      ({ code }: NodeJS.ErrnoException) => code !== "ENOENT",
    );
    if (there) return;
    if (this.#how.mayVanish && (await this.#others()).length === 0) {
      await writeFile(this.#mark, "", { mode: 0o600 }).catch(() => {});
      return;
    }
    const why = "another run has taken the target over, or somebody removed this one's mark from it";
    this.#lost.abort(new EngineError("Interrupted", `${this.#how.what}: ${why}`));
  }

  async #others(): Promise<readonly string[]> {
    const names = await readdir(this.#target).catch(() => []);
    return names.filter((name) => isFenceMark(name) && join(this.#target, name) !== this.#mark);
  }
}
