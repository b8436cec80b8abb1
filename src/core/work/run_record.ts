import type { EngineFailure } from "../../wire/engine_error.ts";

/**
 * What has to be remembered of a task between two looks at it. It is kept in the status of the task's owner, next to
 * what people read there, and is bounded. Absent means: nothing has begun.
 */
export interface RunRecord {
  /** Counted from 1. */
  readonly attempt: number;
  readonly step: RunStep;
  /** Counts the runs of a step other than `Work`, from 1, over all attempts. */
  readonly side?: number;
  /** The UID of the current step's Job: noted before its mover may start, so that none is ever forgotten. */
  readonly job?: string;
  /** ISO 8601. When the first mover was let go. */
  readonly startedAt?: string;
  /** ISO 8601. The current step is not begun before this. */
  readonly notBefore?: string;
  /** Attempts that failed or were lost. */
  readonly failures: number;
  /** Failures in a row of the current step's runs, where it is not `Work`. */
  readonly sideFailures?: number;
  /** The newest failure of an attempt; a lost one's class is `Interrupted`. */
  readonly lastFailure?: EngineFailure;
  /** The attempt ended with a report, so that it is known to have failed, whatever it left behind. */
  readonly reported?: boolean;
  /** Runs that may have left snapshots in the repository that nobody refers to; at most 20, the newest. */
  readonly leftovers?: readonly string[];
  readonly outcome?: RunOutcome;
}

/**
 * - `Work`: the task itself. - `Settle`: the repository is asked what an attempt left there.
 * - `CleanUp`: what it left is deleted, so that the next attempt makes no duplicate.
 */
export type RunStep = "Work" | "Settle" | "CleanUp";

export type RunOutcome = "Succeeded" | "Failed" | "Cancelled";

export const FIRST_ATTEMPT: RunRecord = { attempt: 1, step: "Work", failures: 0 };

/** The record of a task that ended and is wanted again, such as after an edit. Its attempts go on counting. */
export function startAgain({ attempt, side, leftovers }: RunRecord): RunRecord {
  return {
    attempt: attempt + 1,
    step: "Work",
    failures: 0,
    ...(side === undefined ? {} : { side }),
    ...(leftovers ? { leftovers } : {}),
  };
}
