import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { zoneName } from "./schedule.ts";

const BUCKETS = ["keepLatest", "keepHourly", "keepDaily", "keepWeekly", "keepMonthly", "keepAnnual"] as const;

const keep = (about: string) => z.int().min(0).max(100_000).describe(about).optional();

/** Which successful backups to keep. */
export const retention = () =>
  v.rule(
    z.object({
      keepLatest: keep("Keep this many of the newest."),
      keepHourly: keep("Keep the newest of an hour, for this many hours that have one."),
      keepDaily: keep("Keep the newest of a day, for this many days that have one."),
      keepWeekly: keep("Keep the newest of a week, for this many weeks that have one."),
      keepMonthly: keep("Keep the newest of a month, for this many months that have one."),
      keepAnnual: keep("Keep the newest of a year, for this many years that have one."),
      timezone: zoneName()
        .describe(
          "Time zone of the hours, days and weeks, by its IANA name. Default: that of the schedules of the BackupConfig; UTC if they differ, or there is none.",
        )
        .optional(),
      maxShrinkPercent: z
        .int()
        .min(1)
        .max(100)
        .default(50)
        .describe(
          "Pause pruning if a backup is smaller than the ones before by more than this percentage, until the change is acknowledged. 100: never pause.",
        ),
    }),
    {
      rule: BUCKETS.map((bucket) => `(has(self.${bucket}) && self.${bucket} > 0)`).join(" || "),
      message: "at least one of the keep fields must be above 0: leave retention out to keep everything",
    },
  );
