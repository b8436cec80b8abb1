import { type Clock, sleep } from "../../lib/clock.ts";

export interface BudgetOptions {
  readonly clock: Clock;
  /** Requests a second, over time. Default 50. */
  readonly perSecond?: number;
  /** Requests that may go at once after a quiet time. Default 100. */
  readonly burst?: number;
}

/** One budget of requests to the API server, shared by every part of the program. First come, first served. */
export class RequestBudget {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #refilled: number;

  constructor(options: BudgetOptions) {
    this.#clock = options.clock;
    this.#perSecond = options.perSecond ?? 50;
    this.#burst = options.burst ?? 100;
    this.#tokens = this.#burst;
    this.#refilled = this.#clock.monotonic();
  }

  /** Resolves when the request may go. Its place in line is taken at once; a call that gives up gives it back. */
  async take(signal?: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#refilled) / 1000) * this.#perSecond);
    this.#refilled = now;
    this.#tokens -= 1;
    if (this.#tokens >= 0) return;
    try {
      await sleep(this.#clock, (-this.#tokens / this.#perSecond) * 1000, signal);
    } catch (reason) {
      this.#tokens += 1;
      throw reason;
    }
  }
}
