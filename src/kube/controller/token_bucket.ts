import type { Clock } from "../../lib/clock.ts";

export interface TokenBucketOptions {
  /** How many a second in the long run. */
  readonly perSecond: number;
  /** How many at once after a rest. */
  readonly burst: number;
}

/** Spreads what comes in bursts: each reservation says how long to wait for its turn. */
export class TokenBucket {
  readonly #options: TokenBucketOptions;
  readonly #clock: Clock;
  #tokens: number;
  #filledAt: number;

  constructor(options: TokenBucketOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#tokens = options.burst;
    this.#filledAt = clock.monotonic();
  }

  /** Takes a token, on credit if need be. The milliseconds until it is earned. */
  reserve(): number {
    const { perSecond, burst } = this.#options;
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) * perSecond) / 1000) - 1;
    this.#filledAt = now;
    return this.#tokens >= 0 ? 0 : (-this.#tokens * 1000) / perSecond;
  }
}
