import type { Cron } from "./cron.ts";

/** What happens when a slot comes while earlier work of the schedule still runs. */
export type ConcurrencyPolicy = "Forbid" | "Allow" | "Replace";

/** A schedule as it was written. Times and durations are milliseconds. */
export interface ScheduleRules {
  readonly uid: string;
  readonly cron: Cron;
  /** Within how much after its slot work begins. */
  readonly jitter: number;
  readonly suspend: boolean;
  readonly runOnCreate: boolean;
  readonly concurrency: ConcurrencyPolicy;
  /** How late work may begin. Without one the latest slot that was missed is always made up for. */
  readonly startingDeadline?: number | undefined;
}

/** What is known of a schedule's past. */
export interface ScheduleHistory {
  readonly createdAt: number;
  /** As the last decision left it; none before the first. */
  readonly mark?: ScheduleMark | undefined;
  /** Whether it was suspended when it was last looked at. */
  readonly wasSuspended: boolean;
  /** Slots of which there is something already, finished or not, as far as it is still there. */
  readonly made: ReadonlySet<number>;
  /** Names of the work of this schedule that is not finished. */
  readonly running: readonly string[];
}

/** How far a schedule has come: every slot of `cron` up to `slot` is decided. */
export interface ScheduleMark {
  readonly slot: number;
  /** The text of the cron that it was decided by. */
  readonly cron: string;
}
