import {
  MOST_COUNTED,
  type ScheduleDecision,
  type Skip,
  type SkipReason,
  type Slot,
} from "../../../core/policy/schedule_decision.ts";
import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { BackupScheduleStatus } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import type { WantedCondition } from "../../../kube/write/conditions.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";

/* What is said of slots that were made, and of those that were left out. */

/** Why a run was left out: what the schedule says, or that its name belongs to somebody else. */
export type LeftOut = Omit<Skip, "reason"> & { readonly reason: SkipReason | "NameTaken" };

const WHY: Readonly<Record<LeftOut["reason"], string>> = {
  Missed: "nobody was there to begin in time, and a later run stands for it",
  DeadlineExceeded: "it could not begin within startingDeadlineSeconds",
  StillRunning: "an earlier Backup of this schedule still runs, and concurrencyPolicy is Forbid",
  Suspended: "the schedule was suspended",
  NameTaken: "another object has the name of its Backup; delete or rename that one",
};

/** All that is left out now, in order. */
export function leftOut({ skip, fire }: ScheduleDecision, nameTaken: boolean): readonly LeftOut[] {
  if (!nameTaken || !fire) return skip;
  return [...skip, { reason: "NameTaken", first: fire.slot, last: fire.slot, count: 1 }];
}

/** What the status keeps of it. */
export function skipped(left: readonly LeftOut[]): Pick<BackupScheduleStatus, "lastSkippedSchedule"> {
  const last = left.at(-1);
  if (!last) return {};
  const count = left.reduce((total, one) => total + one.count, 0);
  return { lastSkippedSchedule: { at: timestamp(last.last), reason: last.reason, count } };
}

/** Says of the last run that was due whether it was left out. `begun`: it has begun, now or before. */
export function skipCondition(left: readonly LeftOut[], begun: boolean): readonly WantedCondition[] {
  const type = CONDITIONS.backupSkipped;
  if (begun)
    return [{ type, status: "False", reason: "Begun", message: "The last run that was due has begun." }];
  const last = left.at(-1);
  return last ? [{ type, status: "True", reason: last.reason, message: told(left) }] : [];
}

/** One event of all that was left out. */
export function skipNotes(left: readonly LeftOut[]): readonly EventNote[] {
  if (left.length === 0) return [];
  const meant = left.every(({ reason }) => reason === "Suspended");
  return [{ type: meant ? "Normal" : "Warning", reason: REASONS.backupSkipped, message: told(left) }];
}

export function createdNote(name: string, { at }: Slot): EventNote {
  const message = `Backup ${name} was created for ${timestamp(at)}.`;
  return { type: "Normal", reason: "BackupCreated", message };
}

function told(left: readonly LeftOut[]): string {
  return left
    .map(({ reason, first, last, count }) => {
      if (count === 1) return `The run of ${timestamp(first)} was left out: ${WHY[reason]}.`;
      const many = count >= MOST_COUNTED ? `${MOST_COUNTED} or more` : String(count);
      return `${many} runs from ${timestamp(first)} to ${timestamp(last)} were left out: ${WHY[reason]}.`;
    })
    .join(" ");
}
