import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { GROUP, VERSION } from "../group.ts";
import { BACKUP_SCHEDULE_PHASES } from "../phases.ts";
import { AGE, KIND_NAMES, PHASE, REASON } from "./columns.ts";
import { conditions, observedGeneration } from "./conditions.ts";
import { localRef } from "./references.ts";
import { cron, jitter, timezone } from "./schedule.ts";
import { tags } from "./tags.ts";
import { count, text } from "./words.ts";

const schedule = z.object({
  cron: cron().describe(
    "When, in five fields of cron. `H` stands for a value of this object's own, so that not all begin at once: `H 2 * * *`.",
  ),
  jitter: jitter().optional(),
  timezone: timezone(),
  runOnCreate: z.boolean().default(false).describe("Also run once when this object is created."),
  suspend: z.boolean().default(false).describe("Begin no more runs. Those that run go on."),
  concurrencyPolicy: z
    .enum(["Forbid", "Allow", "Replace"])
    .default("Forbid")
    .describe(
      "What a run does that is due while the one before still runs: it is left out, joins in, or takes over.",
    ),
  startingDeadlineSeconds: z
    .int()
    .min(1)
    .describe("Seconds after its time in which a run may still begin. Default: until the next one is due.")
    .optional(),
});

const backupRef = () =>
  z
    .object({ name: text(253).describe("Its name.") })
    .describe("The Backup that was created.")
    .optional();

const status = z.object({
  phase: z.enum(BACKUP_SCHEDULE_PHASES).describe("Whether the schedule runs.").optional(),
  observedGeneration: observedGeneration(),
  resolvedCron: text(1024).describe("The schedule, with every H replaced, and its time zone.").optional(),
  decidedUntil: v
    .timestamp()
    .describe("Every run that was due until then has begun, or was left out for good.")
    .optional(),
  lastSchedule: z
    .object({
      scheduledAt: v.timestamp().describe("When it was due, jitter included."),
      backupRef: backupRef(),
    })
    .describe("The last run that was begun.")
    .optional(),
  nextSchedule: z
    .object({ at: v.timestamp().describe("When, jitter included.") })
    .describe("The next run.")
    .optional(),
  lastSuccessfulSchedule: z
    .object({ at: v.timestamp().describe("When it was due."), backupRef: backupRef() })
    .describe("The last run that succeeded.")
    .optional(),
  lastSkippedSchedule: z
    .object({
      at: v.timestamp().describe("When it was due."),
      reason: text(128).describe("Why, in one word."),
      count: count().describe("How many were left out in a row.").optional(),
    })
    .describe("The last run that was left out.")
    .optional(),
  consecutiveFailures: count().describe("Runs that failed since the last success.").optional(),
  countedUntil: v
    .timestamp()
    .describe("How every run that was due until then ended is counted, also of Backups that are gone.")
    .optional(),
  backupsCreated: count().describe("Backups that this schedule has ever created.").optional(),
  createdSlots: z
    .array(v.timestamp())
    .max(8)
    .describe("The last slots whose Backups are counted in backupsCreated, so that none is counted twice.")
    .optional(),
  active: count().describe("Backups of this schedule that run now.").optional(),
  conditions: conditions(),
});

export const backupSchedule = defineKind({
  ...KIND_NAMES,
  group: GROUP,
  version: VERSION,
  kind: "BackupSchedule",
  plural: "backupschedules",
  shortNames: ["kopiasched"],
  scope: "Namespaced",
  description: "Creates Backups of a BackupConfig at the times that it gives.",
  spec: z
    .object({
      configRef: localRef("BackupConfig").describe("The recipe to run, of this namespace."),
      schedule: schedule.describe("When it runs."),
      tags: tags().describe("Tags for the Backups that are created.").optional(),
      failedJobsHistoryLimit: z
        .int()
        .min(0)
        .max(1000)
        .default(3)
        .describe(
          "Failed Backups that are kept; those that hold snapshots all are. How many successful ones are, the recipe's retention says.",
        ),
    })
    .describe("What is run, and when."),
  status: status.describe("What has run, and what comes next."),
  printerColumns: [
    PHASE,
    { name: "Config", type: "string", jsonPath: ".spec.configRef.name" },
    { name: "Schedule", type: "string", jsonPath: ".spec.schedule.cron" },
    { name: "Suspended", type: "boolean", jsonPath: ".spec.schedule.suspend" },
    { name: "Last", type: "date", jsonPath: ".status.lastSchedule.scheduledAt" },
    { name: "Last-Success", type: "date", jsonPath: ".status.lastSuccessfulSchedule.at" },
    { name: "Next", type: "string", jsonPath: ".status.nextSchedule.at" },
    { name: "Failures", type: "integer", jsonPath: ".status.consecutiveFailures", priority: 1 },
    REASON,
    AGE,
  ],
});
