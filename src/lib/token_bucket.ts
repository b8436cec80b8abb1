import { type Clock, sleep } from "./clock.ts";

export interface TokenBucketOptions {
  /** How many a second in the long run. */
  readonly perSecond: number;
  /** How many at once after a rest. */
  readonly burst: number;
}

/** Something that is waited for before each of many things is done. */
export interface Budget {
  take(signal?: AbortSignal): Promise<void>;
}

/** Spreads what comes in bursts. First come, first served. */
export class TokenBucket implements Budget {
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

  /** The milliseconds until everything that was taken is earned: 0 unless somebody waits. */
  get debt(): number {
    this.#fill();
    return this.#tokens >= 0 ? 0 : (-this.#tokens * 1000) / this.#options.perSecond;
  }

  /** Takes a token if there is one now. */
  tryTake(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes a token, on credit if need be. The milliseconds until it is earned. */
  reserve(): number {
    this.#fill();
    this.#tokens -= 1;
    return this.debt;
  }

  /** Takes a token and waits until it is earned. A wait that the signal ends gives the token back. */
  async take(signal?: AbortSignal): Promise<void> {
    const wait = this.reserve();
    if (wait === 0) return;
    try {
      await sleep(this.#clock, wait, signal);
    } catch (reason) {
      this.#tokens += 1;
      throw reason;
    }
  }

  #fill(): void {
    const { perSecond, burst } = this.#options;
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) * perSecond) / 1000);
    this.#filledAt = now;
  }
}
