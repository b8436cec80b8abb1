import type { KindCases } from "./case.ts";

const least = { repository: { name: "nas-primary" } };

export const maintenanceCases: KindCases = {
  kind: "Maintenance",
  cases: [
    {
      name: "the least, with defaults that can be seen",
      spec: least,
      stored: {
        repository: { kind: "Repository", name: "nas-primary" },
        schedule: {
          quick: { cron: "0 */6 * * *", jitter: "30m" },
          full: { cron: "0 3 * * 0", jitter: "1h" },
          timezone: "UTC",
          suspend: false,
        },
        ownership: { takeoverPolicy: "PromptCondition" },
        check: { afterFull: true, dataPercent: 0 },
        failurePolicy: { backoffLimit: 1, activeDeadlineSeconds: 14400 },
      },
    },
    {
      name: "its own times for one of the two",
      spec: { ...least, schedule: { full: { cron: "H 4 * * 6" } } },
      stored: {
        schedule: {
          quick: { cron: "0 */6 * * *", jitter: "30m" },
          full: { cron: "H 4 * * 6", jitter: "1h" },
          timezone: "UTC",
          suspend: false,
        },
      },
    },
    {
      name: "no repository",
      spec: {},
      problems: ["spec.repository: Required value", "<nil>: Invalid value"],
    },
    {
      name: "a policy that there is not",
      spec: { ...least, ownership: { takeoverPolicy: "Ask" } },
      problems: ['spec.ownership.takeoverPolicy: Unsupported value: "Ask"', "<nil>: Invalid value"],
    },
    {
      name: "more data than there is",
      spec: { ...least, check: { dataPercent: 101 } },
      problems: ["spec.check.dataPercent: Invalid value: 101"],
    },
    {
      name: "another repository",
      spec: { repository: { name: "other" } },
      old: { spec: least },
      problems: ["spec: Invalid value: repository is immutable"],
    },
  ],
};
