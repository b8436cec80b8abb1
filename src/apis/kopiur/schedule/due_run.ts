import type { Cron } from "../../../core/policy/cron.ts";
import { fireTime } from "../../../core/policy/jitter.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
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
 * The first run that a schedule has had due since its recipe last succeeded, or since there are both; runs that a
 * suspension left out do not count. None while it is suspended, or cannot be understood. Times are milliseconds.
 */
export function dueRun(schedule: BackupSchedule, config: BackupConfig): DueRun | undefined {
  const rules = scheduleRules(schedule);
  if (!rules.ok || rules.value.suspend) return undefined;
  const { uid, cron, jitter: window, runOnCreate } = rules.value;
  const createdAt = Date.parse(schedule.metadata.creationTimestamp);
  const { metadata, status } = config;
  const since = Math.max(
    createdAt,
    Date.parse(metadata.creationTimestamp),
    Date.parse(status?.lastSuccessfulBackup?.at ?? metadata.creationTimestamp),
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
function changedAt({ metadata, status }: BackupSchedule, cron: Cron): number {
  const createdAt = Date.parse(metadata.creationTimestamp);
  const until = Date.parse(status?.decidedUntil ?? metadata.creationTimestamp);
  return cron.previous(until + 1) === until ? createdAt : until;
}

function suspendedUntil({ metadata, status }: BackupSchedule): number {
  const { reason, at } = status?.lastSkippedSchedule ?? {};
  return Date.parse(reason === "Suspended" && at !== undefined ? at : metadata.creationTimestamp);
}
