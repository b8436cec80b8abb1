import type { Clock } from "../lib/clock.ts";
import type { Effort } from "../lib/process_effort.ts";
import type { RateLimits } from "../wire/work.ts";

/**
 * What works uses at least this of a processor, or this many bytes a millisecond: to set owners and times on slow
 * storage takes hardly more. What only waits uses half of the one, and a tenth of the other.
 */
const BUSY = { cpu: 0.001, bytes: 20 };

/** What cannot be told counts as work: to end what works would begin it anew, only to end it again. */
export function hasWorked(
  before: Effort | undefined,
  after: Effort | undefined,
  ms: number,
  { upload, download }: RateLimits = {},
): boolean {
  if (!before || !after) return true;
  const slowest = Math.min(...[upload, download].filter((limit) => limit !== undefined));
  const bytes = Math.min(BUSY.bytes, slowest / 2000);
  return after.cpuMs - before.cpuMs >= BUSY.cpu * ms || after.bytes - before.bytes >= bytes * ms;
}

export interface IdlenessOptions {
  readonly clock: Clock;
  /** How long it may be idle, in milliseconds. */
  readonly ms: number;
  readonly limits?: RateLimits | undefined;
  /** What the program has used so far, where that is known. */
  readonly effort: () => Effort | undefined;
  /** Is called with how long it was idle. */
  readonly end: (ms: number) => void;
}

/** Calls back once a program has done next to nothing for so long: it waits for a storage that may never answer. */
export class Idleness implements Disposable {
  readonly #options: IdlenessOptions;
  #over = false;
  #cancel = () => {};

  constructor(options: IdlenessOptions) {
    this.#options = options;
    this.#wait(options.effort());
  }

  /** Whatever it waits for now is not the storage. */
  pause(): void {
    this.#cancel();
  }

  /** It is its turn again. That comes with every piece that is read: what it has used is looked at only later. */
  resume(): void {
    this.#wait(undefined);
  }

  [Symbol.dispose](): void {
    this.#over = true;
    this.#cancel();
  }

  #wait(before: Effort | undefined): void {
    const { clock, ms, limits, effort, end } = this.#options;
    this.#cancel();
    if (this.#over) return;
    this.#cancel = clock.after(ms, () => {
      const now = effort();
      if (hasWorked(before, now, ms, limits)) this.#wait(now);
      else end(ms);
    });
  }
}
