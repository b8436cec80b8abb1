import { type BackoffOptions, backoff } from "../../lib/backoff.ts";
import { type Clock, DeadlineExceeded, sleep } from "../../lib/clock.ts";
import { HttpFailure, UpgradeRefused } from "../../lib/http.ts";
import type { Random } from "../../lib/random.ts";
import { ApiError } from "../api_error.ts";

/** Between two tries of one call. */
const RETRY_BACKOFF: BackoffOptions = { base: 100, cap: 5000 };

/** The longest that a server's own Retry-After is obeyed within one call. */
const LONGEST_RETRY_AFTER = 30_000;

/**
 * How long to wait before the next try, or undefined when the failure is the answer. A write is tried again
 * only when the server cannot have carried it out: it said so, or it was never reached.
 */
export function retryDelay(
  error: unknown,
  attempt: number,
  isRead: boolean,
  random: Random,
): number | undefined {
  const wait = backoff(attempt, RETRY_BACKOFF, random);
  const answer = answerIn(error);
  if (!answer) return error instanceof HttpFailure && (isRead || !error.sent) ? wait : undefined;
  const { code, retryAfter } = answer;
  const refused = code === 429 || (code >= 500 && retryAfter !== undefined);
  if (refused) return Math.max(wait, Math.min(retryAfter ?? 0, LONGEST_RETRY_AFTER));
  return isRead && code >= 500 ? wait : undefined;
}

/** What the server said, where it said something. */
function answerIn(error: unknown): Pick<ApiError, "code" | "retryAfter"> | undefined {
  if (error instanceof ApiError) return error;
  return error instanceof UpgradeRefused ? { code: error.status, retryAfter: error.retryAfter } : undefined;
}

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Ends the call, waiting included. */
  readonly signal: AbortSignal;
  readonly isRead: boolean;
  /** How long a server that gives no answer at all is tried, in milliseconds. Default: until the signal ends it. */
  readonly patience?: number | undefined;
}

/** Tries until there is an answer or the signal ends it; then the last failure is thrown, not the signal's reason. */
export async function withRetries<T>(attempt: (n: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, random, signal, isRead, patience = Number.POSITIVE_INFINITY } = options;
  const begun = clock.monotonic();
  for (let n = 1; ; n++) {
    try {
      return await attempt(n);
    } catch (error) {
      const wait = signal.aborted ? undefined : retryDelay(error, n, isRead, random);
      if (wait === undefined) throw error;
      if (error instanceof HttpFailure && clock.monotonic() + wait - begun > patience) throw error;
      await sleep(clock, wait, signal).catch((reason) => {
        throw isTimeout(reason) ? error : reason;
      });
    }
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DeadlineExceeded || (reason instanceof HttpFailure && reason.code === "ESILENT");
}
