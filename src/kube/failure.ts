import type { BackoffOptions } from "../lib/backoff.ts";
import { DeadlineExceeded } from "../lib/clock.ts";
import { HttpFailure } from "../lib/http.ts";
import { messageOf } from "../lib/result.ts";
import { ApiError, ApplyConflict, isAlreadyExists, isConflict } from "./api_error.ts";

/**
 * What happens after a failure. `transient`: it may go away by itself, and is tried again soon. `structural`:
 * something around the object has to be put right, which is looked at now and then. `terminal`: only an edit of
 * the object helps.
 */
export type FailureClass = "transient" | "structural" | "terminal";

/** A failure whose class its thrower knows. */
export class Failure extends Error {
  override name = "Failure";
  readonly class: FailureClass;
  /** One word in CamelCase: the same in the condition, the event, the log and the metric. */
  readonly reason: string;

  /** The message says what failed, why, and what to do. */
  constructor(
    failureClass: FailureClass,
    reason: string,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
    this.class = failureClass;
    this.reason = reason;
  }
}

/** How a failure is dealt with. */
export interface Verdict {
  /** `conflict` is no failure at all: what was read had changed meanwhile, and a fresh look settles it. */
  readonly class: FailureClass | "conflict";
  readonly reason: string;
  readonly message: string;
  /** When to try again; undefined for not before an edit. */
  readonly retry: BackoffOptions | undefined;
  /** The server asked for at least this long, in milliseconds. */
  readonly atLeast?: number;
}

/** The cache is milliseconds behind; the event that brings it up to date is on its way. */
const FRESH_LOOK: BackoffOptions = { base: 50, cap: 5_000 };
/** The API server is busy, restarting or cut off. The client has already tried again by itself. */
const API_TROUBLE: BackoffOptions = { base: 1_000, cap: 60_000 };
const TRANSIENT: BackoffOptions = { base: 30_000, cap: 900_000, jitter: 0.2 };
const STRUCTURAL: BackoffOptions = { base: 300_000, cap: 300_000, jitter: 0.1 };

/** Decides what whatever was thrown means for the next attempt. What nobody foresaw counts as transient. */
export function judge(error: unknown): Verdict {
  const message = messageOf(error);
  if (error instanceof Failure) {
    const retry = { transient: TRANSIENT, structural: STRUCTURAL, terminal: undefined }[error.class];
    return { class: error.class, reason: error.reason, message, retry };
  }
  if (error instanceof ApiError) return judgeApiError(error);
  if (error instanceof HttpFailure) {
    return { class: "transient", reason: "Unreachable", message, retry: API_TROUBLE };
  }
  const reason = error instanceof DeadlineExceeded ? "DeadlineExceeded" : "Unexpected";
  return { class: "transient", reason, message, retry: TRANSIENT };
}

function judgeApiError(error: ApiError): Verdict {
  const { message } = error;
  const reason = error.reason || `Http${error.code}`;
  if (error instanceof ApplyConflict) {
    return { class: "structural", reason: "ApplyConflict", message, retry: STRUCTURAL };
  }
  if (isConflict(error) || isAlreadyExists(error)) {
    return { class: "conflict", reason, message, retry: FRESH_LOOK };
  }
  // 401 heals when the token is read again, 404 and 410 when the cache has caught up.
  if (error.code >= 500 || [401, 404, 408, 410, 429].includes(error.code)) {
    const { retryAfter: atLeast } = error;
    const verdict = { class: "transient", reason, message, retry: API_TROUBLE } as const;
    return atLeast === undefined ? verdict : { ...verdict, atLeast };
  }
  return { class: "structural", reason, message, retry: STRUCTURAL };
}
