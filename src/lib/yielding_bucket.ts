import { type Clock, sleep } from "./clock.ts";
import { type Budget, TokenBucket, type TokenBucketOptions } from "./token_bucket.ts";

export interface YieldingBucketOptions extends TokenBucketOptions {
  /** Whoever waits for these goes first. */
  readonly to: Pick<TokenBucket, "debt">;
  /** How many a second are taken even then: under a load that never ends it still goes on. */
  readonly atLeast: number;
}

/** A bucket for what is in no hurry: while somebody waits for another bucket, nothing is taken from this one. */
export class YieldingBucket implements Budget {
  readonly #own: TokenBucket;
  /** What is taken although others wait. */
  readonly #nevertheless: TokenBucket;
  readonly #options: YieldingBucketOptions;
  readonly #clock: Clock;

  constructor(options: YieldingBucketOptions, clock: Clock) {
    this.#own = new TokenBucket(options, clock);
    this.#nevertheless = new TokenBucket({ perSecond: options.atLeast, burst: 1 }, clock);
    this.#options = options;
    this.#clock = clock;
  }

  async take(signal?: AbortSignal): Promise<void> {
    const { to, atLeast } = this.#options;
    for (let debt = to.debt; debt > 0 && !this.#nevertheless.tryTake(); debt = to.debt) {
      await sleep(this.#clock, Math.ceil(Math.min(debt, 1000 / atLeast)), signal);
    }
    await this.#own.take(signal);
  }
}
