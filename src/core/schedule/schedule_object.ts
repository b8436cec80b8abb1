import type { KubeObject } from "../../kube/object.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { parseCron } from "../policy/cron.ts";
import { durationMs } from "../policy/duration.ts";
import type { ConcurrencyPolicy, ScheduleRules } from "../policy/schedule.ts";
import { type Problem, refused } from "../reconcile/problem.ts";

/**
 * An object that has backups made at the times that it gives. An API whose schedules have another shape hands in an
 * object that has this one, and writes the state that it gets back under its own names.
 */
export interface Schedule extends KubeObject {
  readonly spec: {
    readonly schedule: {
      readonly cron: string;
      readonly timezone: string;
      readonly jitter?: string;
      readonly suspend: boolean;
      readonly runOnCreate: boolean;
      readonly concurrencyPolicy: ConcurrencyPolicy;
      readonly startingDeadlineSeconds?: number;
    };
    /** As many failed backups stay. */
    readonly failedJobsHistoryLimit: number;
  };
  readonly status?: ScheduleState;
}

/** What is remembered of a schedule. */
export interface ScheduleState {
  readonly phase?: "Pending" | "Active" | "Suspended" | "Failed";
  readonly observedGeneration?: number;
  readonly resolvedCron?: string;
  /** Every slot until then is decided. */
  readonly decidedUntil?: string;
  readonly lastSchedule?: { readonly scheduledAt: string; readonly backupRef?: { readonly name: string } };
  readonly nextSchedule?: { readonly at: string };
  readonly lastSuccessfulSchedule?: { readonly at: string; readonly backupRef?: { readonly name: string } };
  readonly lastSkippedSchedule?: { readonly at: string; readonly reason: string; readonly count?: number };
  readonly consecutiveFailures?: number;
  /** How every run until then ended is counted. */
  readonly countedUntil?: string;
  readonly backupsCreated?: number;
  /** The last slots whose backups are counted. */
  readonly createdSlots?: readonly string[];
  readonly active?: number;
  readonly conditions?: readonly Condition[];
}

/** The rules that a schedule gives; or why nobody could tell when it runs. */
export function scheduleRules({
  metadata,
  spec,
}: Pick<Schedule, "metadata" | "spec">): Result<ScheduleRules, Problem> {
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
