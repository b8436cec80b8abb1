import { fireTime } from "../../../core/policy/jitter.ts";
import type { BackupSchedule } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { scheduleRules } from "./schedule_rules.ts";

/** The run that has to bring the next success. */
export interface DueRun {
  /** When it is due, or was. */
  readonly at: number;
  /** How long after it the next one is due. */
  readonly interval: number;
}

/**
 * The first run that a schedule has had due since its recipe last succeeded, or since there is the schedule; runs that
 * a suspension left out do not count. None while it is suspended, or cannot be understood. Times are milliseconds.
 */
export function dueRun(schedule: BackupSchedule, succeededAt?: number): DueRun | undefined {
  const rules = scheduleRules(schedule);
  if (!rules.ok || rules.value.suspend) return undefined;
  const { uid, cron, jitter: window, runOnCreate } = rules.value;
  const createdAt = Date.parse(schedule.metadata.creationTimestamp);
  const since = Math.max(createdAt, suspendedUntil(schedule), succeededAt ?? createdAt);
  const slot = runOnCreate && since === createdAt ? createdAt : cron.next(since);
  const following = slot === undefined ? undefined : cron.next(slot);
  if (slot === undefined || following === undefined) return undefined;
  const at = slot === createdAt ? slot : fireTime(cron, slot, { uid, window });
  return { at, interval: following - slot };
}

function suspendedUntil({ metadata, status }: BackupSchedule): number {
  const { reason, at } = status?.lastSkippedSchedule ?? {};
  return Date.parse(reason === "Suspended" && at !== undefined ? at : metadata.creationTimestamp);
}
