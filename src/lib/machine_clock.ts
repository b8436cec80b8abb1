import type { Clock } from "./clock.ts";

/** A machine's clock for tests, that may be wrong: only what it shows, its timers go on as they should. */
export class MachineClock implements Clock {
  readonly #true: Clock;
  #error = 0;

  constructor(clock: Clock) {
    this.#true = clock;
  }

  now(): number {
    return this.#true.now() + this.#error;
  }

  monotonic(): number {
    return this.#true.monotonic();
  }

  after(ms: number, callback: () => void): () => void {
    return this.#true.after(ms, callback);
  }

  /** From now on it is so many milliseconds ahead, or behind. */
  err(by: number): void {
    this.#error = by;
  }
}
