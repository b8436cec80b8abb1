import type { EngineFailure } from "../../wire/engine_error.ts";
import type { Owner } from "../../wire/snapshot.ts";
import type { InheritedSecurity } from "./mover_security.ts";
import type { Contact } from "./queue/contact.ts";
import type { Place } from "./queue/place.ts";

/**
 * What has to be remembered of a task between two looks at it. It is kept in the status of the task's owner, next to
 * what people read there, and is bounded. Absent means: nothing has begun.
 */
export interface RunRecord {
  /** Of the owner, when the record was last looked at. Another one begins anew what failed, and waits no longer. */
  readonly edition?: string;
  /** Counted from 1. */
  readonly attempt: number;
  readonly step: RunStep;
  /** Counts the runs of a step other than `Work`, from 1, over all attempts. */
  readonly side?: number;
  /** The UID of the current step's Job: noted before its mover may start, so that none is ever forgotten. */
  readonly job?: string;
  /** ISO 8601. When the first mover was let go, or told to start where it waits for that. */
  readonly startedAt?: string;
  /** The attempt's mover may have been told to start: noted before it is. */
  readonly signalled?: boolean;
  /**
   * ISO 8601. Since then the time for all attempts counts: nothing stood before the first one any more but what it takes
   * to start it. Absent where that time has no end, or counts from the start alone.
   */
  readonly activeSince?: string;
  /** ISO 8601. Since then nothing stands before the current step but its own start, which has a deadline. */
  readonly clearSince?: string;
  /** ISO 8601. Since then nothing else stands before the run, and it cannot be made: it has no Job and no slot. */
  readonly blockedSince?: string;
  /** The current step's mover did not start in time, and was told to end: whatever it still says, it has failed. */
  readonly late?: EngineFailure;
  /** ISO 8601. The current step is not begun before this. */
  readonly notBefore?: string;
  /** Where it stands at its repository, from when it asks for a seat until the step's Job has ended. */
  readonly place?: Place;
  /** How the last attempt found the storage, where that can be told. */
  readonly contact?: Contact;
  /** Attempts that failed or were lost. */
  readonly failures: number;
  /** Failures in a row of the current step's runs, where it is not `Work`. */
  readonly sideFailures?: number;
  /** The newest failure of an attempt; a lost one's class is `Interrupted`. */
  readonly lastFailure?: EngineFailure;
  /** Which attempt that was. Default: the current one. */
  readonly failedAttempt?: number;
  /** The only owner of what an attempt could not read: later ones run as this user. */
  readonly owner?: Owner;
  /** As whom a workload's pod ran: its mover runs so, also once that pod is gone. */
  readonly inherited?: InheritedSecurity;
  /** The attempt ended with a report, so that it is known to have failed, whatever it left behind. */
  readonly reported?: boolean;
  /** Runs that may have left snapshots in the repository that nobody refers to; at most 20, the newest. */
  readonly leftovers?: readonly string[];
  /**
   * Runs of any step whose movers nobody saw end: they may be at work, and what they leave may come at any time, even
   * after the outcome; at most MOST_UNSEEN, the newest.
   */
  readonly unseen?: readonly string[];
  readonly outcome?: RunOutcome;
}

/**
 * - `Work`: the task itself. - `Settle`: the repository is asked what an attempt left there.
 * - `CleanUp`: what it left is deleted, so that the next attempt makes no duplicate.
 */
export type RunStep = "Work" | "Settle" | "CleanUp";

export type RunOutcome = "Succeeded" | "Failed" | "Cancelled";

/** Of so many it is remembered that nobody saw them end. */
export const MOST_UNSEEN = 10;

/** The record, without what is only true of the current step. */
export function withoutStep(record: RunRecord): RunRecord {
  const { job: _, notBefore: __, place: ___, clearSince: ____, late: _____, ...kept } = record;
  return kept;
}

export const FIRST_ATTEMPT: RunRecord = { attempt: 1, step: "Work", failures: 0 };

/**
 * The record of a task that ended and is wanted again, such as after an edit. Its attempts go on counting. What the
 * last one may have left is looked for first: it may be all that is wanted, and must not be there twice.
 */
export function startAgain({ attempt, side = 0, leftovers, unseen, reported }: RunRecord): RunRecord {
  const kept = unseen ? { unseen } : {};
  if (!leftovers)
    return { attempt: attempt + 1, step: "Work", failures: 0, ...(side > 0 ? { side } : {}), ...kept };
  const told = reported === undefined ? {} : { reported };
  return { attempt, step: "Settle", side: side + 1, failures: 0, leftovers, ...kept, ...told };
}

/**
 * The record as it is for this edition of the owner. What succeeded stays so. What runs belongs to the edition that it
 * began with: if it fails, the edit counts then.
 */
export function renewed(record: RunRecord, edition: string | undefined): RunRecord {
  if (edition === undefined || record.edition === edition || record.outcome === "Succeeded") return record;
  if (record.edition === undefined) return { ...record, edition };
  if (record.outcome) return { ...startAgain(record), edition };
  if (record.job !== undefined) return record;
  return { ...withoutWaits(record), edition, failures: 0 };
}

/** The record, without what was found out for the spec of before. */
function withoutWaits({
  notBefore: _,
  sideFailures: __,
  clearSince: ___,
  blockedSince: ____,
  activeSince: _____,
  inherited: ______,
  ...kept
}: RunRecord): RunRecord {
  return kept;
}
