import type { WantedCondition } from "../../kube/write/conditions.ts";
import type { EventNote } from "../../kube/write/events.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import {
  MOST_COUNTED,
  type ScheduleDecision,
  type Skip,
  type SkipReason,
  type Slot,
} from "../policy/schedule_decision.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import { REASONS } from "../reconcile/reasons.ts";
import type { ScheduleState } from "./schedule_object.ts";

/* What is said of slots that were made, and of those that were left out. */

/** Why a run was left out: what the schedule says, or that its name belongs to somebody else. */
export type LeftOut = Omit<Skip, "reason"> & { readonly reason: SkipReason | "NameTaken" };

/** What each API calls the fields that say when a run is left out. */
export interface ScheduleWords {
  /** How late a run may begin, such as the name of the field. */
  readonly startingDeadline: string;
  /** That runs must not overlap, in a clause. */
  readonly forbidden: string;
}

function whyOf(reason: LeftOut["reason"], words: ScheduleWords): string {
  const why: Readonly<Record<LeftOut["reason"], string>> = {
    Missed: "no operator was there to begin it in time, and a later run stands for it",
    DeadlineExceeded: `it could not begin within ${words.startingDeadline}`,
    StillRunning: `an earlier backup of this schedule still runs, and ${words.forbidden}`,
    Suspended: "the schedule was suspended",
    NameTaken: "another object has the name of its backup; delete or rename that one",
  };
  return why[reason];
}

/** All that is left out now, in order. */
export function leftOut({ skip, fire }: ScheduleDecision, nameTaken: boolean): readonly LeftOut[] {
  if (!nameTaken || !fire) return skip;
  return [...skip, { reason: "NameTaken", first: fire.slot, last: fire.slot, count: 1 }];
}

/** What the status keeps of it. */
export function skipped(left: readonly LeftOut[]): Pick<ScheduleState, "lastSkippedSchedule"> {
  const last = left.at(-1);
  if (!last) return {};
  const count = left.reduce((total, one) => total + one.count, 0);
  return { lastSkippedSchedule: { at: timestamp(last.last), reason: last.reason, count } };
}

/** Says of the last run that was due whether it was left out. `begun`: it has begun, now or before. */
export function skipCondition(
  left: readonly LeftOut[],
  begun: boolean,
  words: ScheduleWords,
): readonly WantedCondition[] {
  const type = CONDITIONS.backupSkipped;
  if (begun)
    return [{ type, status: "False", reason: "Begun", message: "The last run that was due has begun." }];
  const last = left.at(-1);
  return last ? [{ type, status: "True", reason: last.reason, message: told(left, words) }] : [];
}

/** One event of all that was left out. */
export function skipNotes(left: readonly LeftOut[], words: ScheduleWords): readonly EventNote[] {
  if (left.length === 0) return [];
  const meant = left.every(({ reason }) => reason === "Suspended");
  return [{ type: meant ? "Normal" : "Warning", reason: REASONS.backupSkipped, message: told(left, words) }];
}

export function createdNote(name: string, { at }: Slot): EventNote {
  const message = `backup ${name} was created for ${timestamp(at)}.`;
  return { type: "Normal", reason: "BackupCreated", message };
}

function told(left: readonly LeftOut[], words: ScheduleWords): string {
  return left
    .map(({ reason, first, last, count }) => {
      if (count === 1) return `The run of ${timestamp(first)} was left out: ${whyOf(reason, words)}.`;
      const many = count >= MOST_COUNTED ? `${MOST_COUNTED} or more` : String(count);
      return `${many} runs from ${timestamp(first)} to ${timestamp(last)} were left out: ${whyOf(reason, words)}.`;
    })
    .join(" ");
}
