import { expect, test } from "vitest";
import { violationText } from "../reconcile/violation.ts";
import { cronViolations } from "./cron_violations.ts";

const texts = (cron: string, zone = "UTC") =>
  cronViolations([{ cron, field: "here" }], zone, "schedule").map(violationText);

test.each(["H 2 * * *", "@daily", "*/15 0-5 * * 1-5", "0 0 29 2 *"])("%s can be told", (cron) => {
  expect(texts(cron)).toEqual([]);
});

test.each([
  [
    "@every 5m",
    'the cron expression "@every 5m" cannot be used: "@every 5m" is not tied to the time of day or not known. Write @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly, or five fields, such as "H/30 * * * *" for every 30 minutes.',
  ],
  [
    "TZ=UTC 0 0 * * *",
    'the cron expression "TZ=UTC 0 0 * * *" cannot be used: a zone is not part of it. Name the zone in the field for it.',
  ],
  [
    "0 0 * * 5-2; 1: 2",
    'the cron expression "0 0 * * 5-2; 1: 2" cannot be used: it has 7 fields. Write the five fields minute, hour, day of the month, month and day of the week, such as "H 2 * * *".',
  ],
])("%s cannot", (cron, text) => {
  expect(texts(cron)).toEqual([text]);
});

test("a zone is told of once, whatever the times", () => {
  const crons = [
    { cron: "0 0 * * *", field: "a" },
    { cron: "@hourly", field: "b" },
  ];
  expect(cronViolations(crons, "+02:00", "schedule").map(({ field }) => field)).toEqual([
    "schedule.timezone",
  ]);
});
