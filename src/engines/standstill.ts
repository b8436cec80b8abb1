import type { Clock } from "../lib/clock.ts";
import type { Progress } from "../wire/progress.ts";
import type { RateLimits } from "../wire/work.ts";

/**
 * How long an operation may stand still before its storage counts as gone: some clients of storages repeat what fails
 * in silence and without end. No storage that is of any use takes so long for one of an engine's packs.
 */
const STANDSTILL_MS = 900_000;
/** More than any pack, in bytes: where the speed is limited, each takes its time. */
const PACK = 128 * 2 ** 20;

/** The standstill that is borne at this speed. `usual`: at full speed, in milliseconds; default a quarter of an hour. */
export function standstillAt({ upload, download }: RateLimits = {}, usual = STANDSTILL_MS): number {
  const slowest = Math.min(...[upload, download].filter((limit) => limit !== undefined));
  return usual + Math.ceil((PACK / slowest) * 1000);
}

/** Slower than this, in bytes a second, nothing is waited for, unless its speed is limited. */
const SLOWEST = 2_000_000;

/**
 * What figures with one decimal, as in 1.2 TB, take to change at the slowest speed, in milliseconds. What is hashed
 * counts, where that is told: it changes with the content of a single large file. What is taken over as it was changes
 * only with the number of files, and what is uploaded need not change at all.
 */
export function coarseness(
  { bytes = 0, hashedBytes = bytes }: Progress,
  { upload = SLOWEST, download = SLOWEST }: RateLimits = {},
): number {
  if (hashedBytes < 1000) return 0;
  const unit = 10 ** (3 * Math.floor(Math.log10(hashedBytes) / 3));
  return (unit / 10 / Math.min(SLOWEST, upload, download)) * 1000;
}

/** Calls back once nothing has moved for so long, and says for how long. */
export class Standstill implements Disposable {
  readonly ms: number;
  readonly #clock: Clock;
  readonly #end: (ms: number) => void;
  #at = "";
  #over = false;
  #cancel = () => {};

  constructor(clock: Clock, ms: number, end: (ms: number) => void) {
    this.ms = ms;
    this.#clock = clock;
    this.#end = end;
    this.#wait();
  }

  /**
   * It is as far as these figures say; to say the same again is to stand still. `more`: what is borne beyond the usual,
   * in milliseconds, where figures cannot be expected to change sooner. Returns whether it has moved.
   */
  seen(figures: object, more = 0): boolean {
    const at = JSON.stringify(figures);
    if (at === this.#at) return false;
    this.#at = at;
    this.#wait(more);
    return true;
  }

  /** Whatever it waits for now is not the storage. */
  pause(): void {
    this.#cancel();
  }

  /** It is its turn again, and all of its time is before it. */
  resume(): void {
    this.#wait();
  }

  [Symbol.dispose](): void {
    this.#over = true;
    this.#cancel();
  }

  #wait(more = 0): void {
    this.#cancel();
    if (this.#over) return;
    const ms = this.ms + more;
    this.#cancel = this.#clock.after(ms, () => this.#end(ms));
  }
}
