import { share } from "../../lib/hash.ts";
import type { Retry } from "../../wire/error_classes.ts";

const TRANSIENT_BASE = 30_000;
const TRANSIENT_CAP = 900_000;
const STRUCTURAL = 300_000;
/** The share of a delay that differs from run to run, so that an outage is not followed by a rush. */
const SPREAD = 0.2;
const LONGEST = TRANSIENT_CAP * (1 + SPREAD);

export interface RetryQuestion {
  readonly retry: Retry;
  /** Failures so far, this one included. */
  readonly failures: number;
  /** Runs with different ones wait for different times. */
  readonly run: string;
}

/** How long to wait before the next attempt, in milliseconds; undefined for not at all. Always the same for a run. */
export function retryDelay({ retry, failures, run }: RetryQuestion): number | undefined {
  if (retry === "terminal") return undefined;
  const full =
    retry === "structural" ? STRUCTURAL : Math.min(TRANSIENT_CAP, TRANSIENT_BASE * 2 ** (failures - 1));
  return Math.round(full * (1 + SPREAD * share(run)));
}

/**
 * Whether something waits for this time, in ISO 8601. One that is farther ahead than any delay was written by a clock that
 * was wrong, and nobody waits for it.
 */
export function isStillToCome(notBefore: string | undefined, now: number): boolean {
  const at = Date.parse(notBefore ?? "");
  return at > now && at <= now + LONGEST;
}
