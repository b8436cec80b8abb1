import type { Cron } from "../policy/cron.ts";
import { fireTime } from "../policy/jitter.ts";
import { type Schedule, scheduleRules } from "./schedule_object.ts";

/** The run that has to bring the next success. */
export interface DueRun {
  /** When it is due, or was. */
  readonly at: number;
  /** How long after it the next one is due. */
  readonly interval: number;
}

/** What a schedule runs, and when that last succeeded. */
export interface Scheduled {
  readonly createdAt: string;
  readonly succeededAt?: string | undefined;
}

/**
 * The first run that a schedule has had due since what it runs last succeeded, or since there are both; runs that a
 * suspension left out do not count. None while it is suspended, or cannot be understood. Times are milliseconds.
 */
export function dueRun(schedule: Schedule, scheduled: Scheduled): DueRun | undefined {
  const rules = scheduleRules(schedule);
  if (!rules.ok || rules.value.suspend) return undefined;
  const { uid, cron, jitter: window, runOnCreate } = rules.value;
  const createdAt = Date.parse(schedule.metadata.creationTimestamp);
  const { createdAt: there, succeededAt = there } = scheduled;
  const since = Math.max(
    createdAt,
    Date.parse(there),
    Date.parse(succeededAt),
    suspendedUntil(schedule),
    changedAt(schedule, cron),
  );
  const slot = runOnCreate && since === createdAt ? createdAt : cron.next(since);
  const following = slot === undefined ? undefined : cron.next(slot);
  if (slot === undefined || following === undefined) return undefined;
  const at = slot === createdAt ? slot : fireTime(cron, slot, { uid, window });
  return { at, interval: following - slot };
}

/**
 * When it was given its present expression, told until the first slot of that is decided: what it would have meant before
 * was never promised.
 */
function changedAt({ metadata, status }: Schedule, cron: Cron): number {
  const createdAt = Date.parse(metadata.creationTimestamp);
  const until = Date.parse(status?.decidedUntil ?? metadata.creationTimestamp);
  return cron.previous(until + 1) === until ? createdAt : until;
}

function suspendedUntil({ metadata, status }: Schedule): number {
  const { reason, at } = status?.lastSkippedSchedule ?? {};
  return Date.parse(reason === "Suspended" && at !== undefined ? at : metadata.creationTimestamp);
}
