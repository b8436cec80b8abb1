import { BELIEVED_AHEAD } from "../../../core/policy/schedule_anchor.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type {
  BackupSchedule,
  BackupScheduleStatus,
} from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { isHeld } from "../backup/backup_wishes.ts";
import { mayHoldSnapshots } from "../backup/fan/may_hold_snapshots.ts";
import { isMadeBy, scheduledAtOf, slotOf } from "./scheduled_backup.ts";

/** A Backup that a schedule made. */
export interface ScheduledRun {
  readonly slot: number;
  readonly backup: Backup;
  readonly state: "running" | "succeeded" | "failed" | "leaving";
}

/** What a schedule made, as far as it is there, oldest slot first. */
export function scheduledRuns(schedule: BackupSchedule, backups: readonly Backup[]): readonly ScheduledRun[] {
  return backups
    .filter((backup) => isMadeBy(backup, schedule) && !Number.isNaN(slotOf(backup)))
    .map((backup) => ({ slot: slotOf(backup), backup, state: stateOf(backup) }))
    .toSorted((a, b) => a.slot - b.slot);
}

function stateOf({ metadata, status }: Backup): ScheduledRun["state"] {
  if (metadata.deletionTimestamp) return "leaving";
  if (status?.phase === "Succeeded") return "succeeded";
  return status?.phase === "Failed" ? "failed" : "running";
}

type Counts = Pick<BackupScheduleStatus, "consecutiveFailures" | "countedUntil" | "lastSuccessfulSchedule">;

/**
 * What the status says of how runs ended. Every end counts once, in the order of the slots, so that it does not matter
 * which of the Backups are still there; what ends out of turn waits for those before it. A slot that a wrong clock made is
 * not the last: where it was counted, what is there is counted anew.
 */
export function countRuns(before: Counts, runs: readonly ScheduledRun[], now: number): Counts {
  const isAhead = (time: number) => time > now + BELIEVED_AHEAD;
  const { lastSuccessfulSchedule: last, countedUntil } = before;
  const known = isAhead(Date.parse(last?.at ?? "")) ? undefined : last;
  const counted: Counts = isAhead(Date.parse(countedUntil ?? "")) ? {} : before;
  const since = Date.parse(counted.countedUntil ?? "");
  const open = runs.find(({ state }) => state === "running")?.slot ?? Number.POSITIVE_INFINITY;
  const ended = runs.filter(
    ({ slot, state }) => (state === "succeeded" || state === "failed") && !isAhead(slot),
  );
  let failures = counted.consecutiveFailures ?? 0;
  let until = counted.countedUntil;
  for (const { slot, state } of ended) {
    if (slot <= since || slot >= open) continue;
    failures = state === "failed" ? failures + 1 : 0;
    until = timestamp(slot);
  }
  // One that had failed may have been tried again, by an edit.
  if (ended.at(-1)?.state === "succeeded") failures = 0;
  const success = successOf(ended.findLast(({ state }) => state === "succeeded"));
  const newest = success && !(Date.parse(success.at) <= Date.parse(known?.at ?? "")) ? success : known;
  return {
    consecutiveFailures: failures,
    ...(until === undefined ? {} : { countedUntil: until }),
    ...(newest ? { lastSuccessfulSchedule: newest } : {}),
  };
}

function successOf(run: ScheduledRun | undefined): Counts["lastSuccessfulSchedule"] {
  if (!run) return undefined;
  const { name } = run.backup.metadata;
  return { at: scheduledAtOf(run.backup) ?? timestamp(run.slot), backupRef: { name } };
}

type Created = Pick<BackupScheduleStatus, "backupsCreated" | "createdSlots">;

/** So many are enough to tell those apart that are made at about the same time. */
const MOST_SLOTS = 8;

/**
 * How many Backups a schedule has created: what it makes now, and what was made by somebody who did not come to count it.
 * That may be an earlier slot than the last that was decided, where two were at work by different clocks, so that each
 * is counted by its own slot.
 */
export function createdSoFar(
  before: Created & Pick<BackupScheduleStatus, "decidedUntil">,
  runs: readonly ScheduledRun[],
  making: number | undefined,
): Created {
  const { backupsCreated = 0, decidedUntil = "" } = before;
  const slots = runs.map(({ slot }) => timestamp(slot));
  // Until they were noted, all that had been decided was counted.
  const counted = before.createdSlots ?? slots.filter((slot) => slot <= decidedUntil).slice(-MOST_SLOTS);
  const oldest = counted.length < MOST_SLOTS ? "" : (counted[0] ?? "");
  // One that is made now was never counted, however far ahead the clock was by which the others were made.
  const made = making === undefined ? [] : [timestamp(making)];
  const seen = [...slots.filter((slot) => slot > oldest), ...made];
  const fresh = new Set(seen.filter((slot) => !counted.includes(slot)));
  const created = backupsCreated + fresh.size;
  if (created === 0) return {};
  return { backupsCreated: created, createdSlots: [...counted, ...fresh].sort().slice(-MOST_SLOTS) };
}

/**
 * The failed Backups that are more than `limit`. Those that hold snapshots are none of them: what failed was a hook after
 * the capture, and the data is good. Those that are not counted yet stay, and so does the one of the newest slot: while
 * it is there, its slot cannot be made a second time, however late a request for it arrives.
 */
export function surplusFailures(
  runs: readonly ScheduledRun[],
  { limit, countedUntil }: { readonly limit: number; readonly countedUntil: string | undefined },
): readonly Backup[] {
  const newest = runs.at(-1)?.slot;
  return runs
    .filter(({ state, backup }) => state === "failed" && !holdsData(backup))
    .toReversed()
    .slice(limit)
    .filter(({ slot }) => slot !== newest && slot <= Date.parse(countedUntil ?? ""))
    .map(({ backup }) => backup)
    .filter((backup) => !isHeld(backup));
}

/** Whether snapshots go with it, of its own or of the Backups that did the work in other namespaces. */
function holdsData({ status }: Backup): boolean {
  const parts = status?.backupRefs?.some(mayHoldSnapshots) ?? false;
  return parts || (status?.snapshots?.length ?? 0) > 0;
}
