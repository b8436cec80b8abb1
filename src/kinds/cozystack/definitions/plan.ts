import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { GROUP, VERSION } from "../group.ts";
import { PLAN_PHASES } from "../phases.ts";
import {
  AGE,
  APPLICATION,
  applicationRef,
  conditions,
  count,
  KIND,
  KIND_NAMES,
  localRef,
  observedGeneration,
  PHASE,
  REASON,
  text,
} from "./parts.ts";

const schedule = v.rule(
  z.object({
    type: z.enum(["", "cron"]).default("cron").describe("How the times are given. Only `cron` exists."),
    cron: text(256)
      .min(1)
      .describe(
        "When to run, in five fields of cron. `H` stands for a value that differs between Plans, so that they do not all begin at once: `H 2 * * *`.",
      )
      .optional(),
    timezone: text(64)
      .min(1)
      .regex(/^[A-Za-z0-9_+/-]+$/)
      .default("UTC")
      .describe("Time zone of the schedule, by its IANA name."),
  }),
  { rule: "has(self.cron)", message: "cron must be set", reason: "FieldValueRequired", fieldPath: ".cron" },
);

const BUCKETS = ["keepLatest", "keepHourly", "keepDaily", "keepWeekly", "keepMonthly", "keepAnnual"] as const;
const keep = (about: string) => z.int().min(0).max(100_000).describe(about).optional();

const retention = v.rule(
  z.object({
    keepLatest: keep("Keep this many of the newest."),
    keepHourly: keep("Keep the newest of an hour, for this many hours that have one."),
    keepDaily: keep("Keep the newest of a day, for this many days that have one."),
    keepWeekly: keep("Keep the newest of a week, for this many weeks that have one."),
    keepMonthly: keep("Keep the newest of a month, for this many months that have one."),
    keepAnnual: keep("Keep the newest of a year, for this many years that have one."),
  }),
  {
    rule: BUCKETS.map((bucket) => `(has(self.${bucket}) && self.${bucket} > 0)`).join(" || "),
    message: "at least one of the keep fields must be above 0: leave retention out to keep everything",
  },
);

const limit = () => z.int().min(0).max(1000);

const jobRef = () => localRef("BackupJob").describe("The BackupJob.").optional();

const status = z.object({
  phase: z.enum(PLAN_PHASES).describe("Whether the schedule runs.").optional(),
  observedGeneration: observedGeneration(),
  resolvedCron: text(1024).describe("The schedule, with every H replaced, and its time zone.").optional(),
  decidedUntil: v
    .timestamp()
    .describe("All scheduled times up to this one are decided: their BackupJobs exist, or were skipped.")
    .optional(),
  lastSchedule: z
    .object({ scheduledAt: v.timestamp().describe("When it was due."), backupJobRef: jobRef() })
    .describe("The last BackupJob that was created.")
    .optional(),
  nextSchedule: z
    .object({ at: v.timestamp().describe("When it is due.") })
    .describe("The next BackupJob.")
    .optional(),
  lastSuccessfulSchedule: z
    .object({ at: v.timestamp().describe("When it was due."), backupJobRef: jobRef() })
    .describe("The last BackupJob that succeeded.")
    .optional(),
  lastSkippedSchedule: z
    .object({
      at: v.timestamp().describe("When it was due."),
      reason: text(128).describe("Why, in one word."),
      count: count().describe("How many were skipped in a row.").optional(),
    })
    .describe("The last scheduled time that was skipped.")
    .optional(),
  consecutiveFailures: count().describe("BackupJobs that failed since the last success.").optional(),
  countedUntil: v
    .timestamp()
    .describe("All BackupJobs that were due up to this time are counted, also deleted ones.")
    .optional(),
  backupJobsCreated: count().describe("Number of BackupJobs that this Plan has created.").optional(),
  createdSlots: z
    .array(v.timestamp())
    .max(8)
    .describe("The last scheduled times that are counted in backupJobsCreated, so that none counts twice.")
    .optional(),
  active: count().describe("Number of running BackupJobs of this Plan.").optional(),
  conditions: conditions(),
});

export const plan = defineKind({
  ...KIND_NAMES,
  group: GROUP,
  version: VERSION,
  kind: "Plan",
  plural: "plans",
  scope: "Namespaced",
  description: "When and by which BackupClass to back an application up.",
  spec: z
    .object({
      applicationRef: applicationRef().describe("The application, in this namespace."),
      backupClassName: v
        .objectName()
        .describe("The BackupClass, which says how and where applications of this type are backed up."),
      schedule: schedule.describe("When to run."),
      suspend: z.boolean().default(false).describe("Create no more BackupJobs. Running ones continue."),
      concurrencyPolicy: z
        .enum(["Forbid", "Allow"])
        .default("Forbid")
        .describe("What to do while the BackupJob before still runs. Forbid: skip. Allow: run both."),
      startingDeadlineSeconds: z
        .int()
        .min(1)
        .describe(
          "Seconds after the scheduled time in which a BackupJob may still be created. Default: until the next one is due.",
        )
        .optional(),
      successfulJobsHistoryLimit: limit()
        .default(3)
        .describe("How many BackupJobs that succeeded to keep. Their Backups stay."),
      failedJobsHistoryLimit: limit().default(3).describe("How many BackupJobs that failed to keep."),
      retention: retention
        .describe(
          "Which Backups of this Plan to keep; the operator deletes the others, with their data. Default: all of them.",
        )
        .optional(),
    })
    .describe("What to back up, how and when."),
  status: status.describe("What has run, and what runs next."),
  printerColumns: [
    PHASE,
    KIND,
    APPLICATION,
    { name: "Class", type: "string", jsonPath: ".spec.backupClassName" },
    { name: "Schedule", type: "string", jsonPath: ".spec.schedule.cron" },
    { name: "Suspended", type: "boolean", jsonPath: ".spec.suspend" },
    { name: "Last-Success", type: "date", jsonPath: ".status.lastSuccessfulSchedule.at" },
    { name: "Next", type: "string", jsonPath: ".status.nextSchedule.at" },
    { name: "Failures", type: "integer", jsonPath: ".status.consecutiveFailures", priority: 1 },
    REASON,
    AGE,
  ],
});
