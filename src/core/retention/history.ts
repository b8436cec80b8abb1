import type { RetainedSnapshot } from "../policy/retention.ts";

/** A backup that succeeded, and whose snapshots the repository holds. */
export interface SuccessfulBackup<B = unknown> {
  readonly backup: B;
  readonly name: string;
  /** When it ended. */
  readonly at: number;
  readonly origin: RetainedSnapshot["origin"];
  /** Somebody wants it to stay, or needs it now. */
  readonly held: boolean;
  /** One for each source. */
  readonly snapshots: readonly { readonly path: string; readonly bytes?: number | undefined }[];
  /** In all of them together. */
  readonly files?: number | undefined;
}

export interface FailedBackup {
  readonly name: string;
  readonly at: number;
  /** Somebody ended it. */
  readonly cancelled: boolean;
}

/** What is known of the backups of one plan, as far as they are still there. */
export interface BackupHistory<B = unknown> {
  readonly successes: readonly SuccessfulBackup<B>[];
  readonly failures: readonly FailedBackup[];
}

/** Clocks of a cluster's machines differ by less than this, in milliseconds. */
const CLOCK_TOLERANCE = 300_000;

/** Whether a time is from the future: nobody knows when that was, by a clock that was wrong. */
export function liesAhead(at: number, now: number): boolean {
  return at > now + CLOCK_TOLERANCE;
}

/** Whether an end can be believed: neither from the future, nor from before the beginning, by a clock that was wrong. */
export function isBelievable(
  at: number,
  { createdAt, now }: { readonly createdAt: number; readonly now: number },
): boolean {
  return at >= createdAt - CLOCK_TOLERANCE && !liesAhead(at, now);
}
