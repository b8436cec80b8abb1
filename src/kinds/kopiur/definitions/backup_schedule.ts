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
    "When to run, in five fields of cron. `H` stands for a value that differs between objects, so that they do not all begin at once: `H 2 * * *`.",
  ),
  jitter: jitter().optional(),
  timezone: timezone(),
  runOnCreate: z.boolean().default(false).describe("Also run once when this object is created."),
  suspend: z.boolean().default(false).describe("Start no more Backups. Running Backups continue."),
  concurrencyPolicy: z
    .enum(["Forbid", "Allow", "Replace"])
    .default("Forbid")
    .describe(
      "What to do when a Backup is due while the one before still runs. Forbid: skip it. Allow: run both. Replace: cancel the earlier one.",
    ),
  startingDeadlineSeconds: z
    .int()
    .min(1)
    .describe(
      "Seconds after the scheduled time in which a Backup may still start. Default: until the next one is due.",
    )
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
    .describe("All scheduled times up to this one are decided: their Backups have begun, or were skipped.")
    .optional(),
  lastSchedule: z
    .object({
      scheduledAt: v.timestamp().describe("When it was due, including jitter."),
      backupRef: backupRef(),
    })
    .describe("The last Backup that was started.")
    .optional(),
  nextSchedule: z
    .object({ at: v.timestamp().describe("When it is due, including jitter.") })
    .describe("The next Backup.")
    .optional(),
  lastSuccessfulSchedule: z
    .object({ at: v.timestamp().describe("When it was due."), backupRef: backupRef() })
    .describe("The last Backup that succeeded.")
    .optional(),
  lastSkippedSchedule: z
    .object({
      at: v.timestamp().describe("When it was due."),
      reason: text(128).describe("Why, in one word."),
      count: count().describe("How many were skipped in a row.").optional(),
    })
    .describe("The last scheduled time that was skipped.")
    .optional(),
  consecutiveFailures: count().describe("Backups that failed since the last success.").optional(),
  countedUntil: v
    .timestamp()
    .describe("All Backups that were due up to this time are counted, also deleted ones.")
    .optional(),
  backupsCreated: count().describe("Number of Backups that this schedule has created.").optional(),
  createdSlots: z
    .array(v.timestamp())
    .max(8)
    .describe("The last scheduled times whose Backups are in backupsCreated, so that none is counted twice.")
    .optional(),
  active: count().describe("Number of running Backups of this schedule.").optional(),
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
  description: "Creates Backups of a BackupConfig at scheduled times.",
  spec: z
    .object({
      configRef: localRef("BackupConfig").describe("The BackupConfig to run, in this namespace."),
      schedule: schedule.describe("When to run it."),
      tags: tags().describe("Tags for the Backups.").optional(),
      failedJobsHistoryLimit: z
        .int()
        .min(0)
        .max(1000)
        .default(3)
        .describe(
          "How many failed Backups to keep. Failed Backups with snapshots always stay. For successful Backups see retention of the BackupConfig.",
        ),
    })
    .describe("What to run, and when."),
  status: status.describe("What has run, and what runs next."),
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
