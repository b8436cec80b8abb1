import type { KindCases } from "./case.ts";

const configRef = { name: "postgres-data" };
const least = { configRef, schedule: { cron: "H 2 * * *" } };

export const backupScheduleCases: KindCases = {
  kind: "BackupSchedule",
  cases: [
    {
      name: "the least, with defaults that can be seen",
      spec: least,
      stored: {
        configRef,
        schedule: {
          cron: "H 2 * * *",
          timezone: "UTC",
          runOnCreate: false,
          suspend: false,
          concurrencyPolicy: "Forbid",
        },
        failedJobsHistoryLimit: 3,
      },
    },
    {
      name: "everything",
      spec: {
        configRef,
        schedule: {
          cron: "H 2 * * *",
          jitter: "30m",
          timezone: "America/Los_Angeles",
          runOnCreate: true,
          suspend: true,
          concurrencyPolicy: "Replace",
          startingDeadlineSeconds: 600,
        },
        tags: { reason: "scheduled-nightly" },
        failedJobsHistoryLimit: 0,
      },
    },
    {
      name: "a count of successes to keep, by leaving it out: retention says that",
      spec: { ...least, successfulJobsHistoryLimit: 10 },
      unknown: ["spec.successfulJobsHistoryLimit"],
    },
    {
      name: "no time",
      spec: { configRef, schedule: {} },
      problems: ["spec.schedule.cron: Required value", "<nil>: Invalid value"],
    },
    {
      name: "jitter in words",
      spec: { configRef, schedule: { cron: "0 2 * * *", jitter: "half an hour" } },
      problems: ['spec.schedule.jitter: Invalid value: "half an hour"'],
    },
    {
      name: "a zone that cannot be one",
      spec: { configRef, schedule: { cron: "0 2 * * *", timezone: "Los Angeles" } },
      problems: ['spec.schedule.timezone: Invalid value: "Los Angeles"'],
    },
    {
      name: "a policy that there is not",
      spec: { configRef, schedule: { cron: "0 2 * * *", concurrencyPolicy: "Queue" } },
      problems: ['spec.schedule.concurrencyPolicy: Unsupported value: "Queue"', "<nil>: Invalid value"],
    },
    {
      name: "another time, and another recipe",
      spec: { configRef: { name: "other" }, schedule: { cron: "0 3 * * *" } },
      old: { spec: least, status: { consecutiveFailures: 1 } },
    },
  ],
};
