import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { zoneName } from "./schedule.ts";

const BUCKETS = ["keepLatest", "keepHourly", "keepDaily", "keepWeekly", "keepMonthly", "keepAnnual"] as const;

const keep = (about: string) => z.int().min(0).max(100_000).describe(about).optional();

/** Which successful backups are kept. */
export const retention = () =>
  v.rule(
    z.object({
      keepLatest: keep("The newest, this many."),
      keepHourly: keep("The newest of an hour, for this many hours that have one."),
      keepDaily: keep("The newest of a day, for this many days that have one."),
      keepWeekly: keep("The newest of a week, for this many weeks that have one."),
      keepMonthly: keep("The newest of a month, for this many months that have one."),
      keepAnnual: keep("The newest of a year, for this many years that have one."),
      timezone: zoneName()
        .describe(
          "Time zone whose hours, days and weeks count, by its IANA name. Default: the one of the schedules that name the recipe; UTC where they differ, or there is none.",
        )
        .optional(),
      maxShrinkPercent: z
        .int()
        .min(1)
        .max(100)
        .default(50)
        .describe(
          "Nothing is pruned once a backup is smaller than those before it usually were by more than this percentage, until someone has looked. 100: never mind.",
        ),
    }),
    {
      rule: BUCKETS.map((bucket) => `(has(self.${bucket}) && self.${bucket} > 0)`).join(" || "),
      message: "at least one of the keep fields must be above 0: leave retention out to keep everything",
    },
  );
