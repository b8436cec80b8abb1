import type { Random } from "./random.ts";

export interface BackoffOptions {
  /** The first delay, in milliseconds. */
  readonly base: number;
  /** No delay is longer than this. */
  readonly cap: number;
  /** Growth from one attempt to the next. Default 2. */
  readonly factor?: number;
  /** The share of the delay that is left to chance, 0 to 1. Default 0.5: between half the delay and all of it. */
  readonly jitter?: number;
}

/** The delay before attempt `attempt` (the first retry is 1). */
export function backoff(attempt: number, options: BackoffOptions, random: Random): number {
  const { base, cap, factor = 2, jitter = 0.5 } = options;
  const full = Math.min(cap, base * factor ** (attempt - 1));
  return full * (1 - jitter * random.next());
}
