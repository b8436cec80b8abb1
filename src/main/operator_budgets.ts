import type { Clock } from "../lib/clock.ts";
import { type Budget, TokenBucket } from "../lib/token_bucket.ts";
import { YieldingBucket } from "../lib/yielding_bucket.ts";

/** What controllers may ask of the API server. Leases, caches and webhooks do not wait for them. */
const USUAL = { perSecond: 75, burst: 20 };
/**
 * What nobody waits for, and comes once: the Backups that show a repository. A few requests are under way at a time,
 * and an API server that has better to do says so, and is obeyed.
 */
const BULK = { perSecond: 800, burst: 20, atLeast: 10 };

export interface OperatorBudgets {
  readonly usual: Budget;
  /** Of its own, but nothing is taken from it while anybody waits for the usual one. */
  readonly bulk: Budget;
}

export function operatorBudgets(clock: Clock): OperatorBudgets {
  const usual = new TokenBucket(USUAL, clock);
  return { usual, bulk: new YieldingBucket({ ...BULK, to: usual }, clock) };
}
