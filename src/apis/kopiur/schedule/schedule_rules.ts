import { parseCron } from "../../../core/policy/cron.ts";
import { durationMs } from "../../../core/policy/duration.ts";
import type { ScheduleRules } from "../../../core/policy/schedule.ts";
import type { BackupSchedule } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { type Problem, refused } from "../problem.ts";

/** The rules that a schedule gives; or why nobody could tell when it runs. */
export function scheduleRules({ metadata, spec }: BackupSchedule): Result<ScheduleRules, Problem> {
  const { schedule } = spec;
  const { uid } = metadata;
  const cron = parseCron({ expression: schedule.cron, zone: schedule.timezone, seed: uid });
  if (!cron.ok)
    return err(refused("InvalidSchedule", `${cron.error.charAt(0).toUpperCase()}${cron.error.slice(1)}.`));
  const { startingDeadlineSeconds: seconds } = schedule;
  return ok({
    uid,
    cron: cron.value,
    jitter: schedule.jitter === undefined ? 0 : durationMs(schedule.jitter),
    suspend: schedule.suspend,
    runOnCreate: schedule.runOnCreate,
    concurrency: schedule.concurrencyPolicy,
    startingDeadline: seconds === undefined ? undefined : seconds * 1000,
  });
}
