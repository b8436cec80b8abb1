import { expect, test } from "vitest";
import { CronDays } from "./cron_days.ts";

const day = (date: string) => Date.parse(date) / 86_400_000;

test.each([
  ["* * *", "2026-05-24", "2026-05-24", "2026-05-24"],
  ["1 * *", "2026-05-24", "2026-06-01", "2026-05-01"],
  ["1 * *", "2026-05-01", "2026-05-01", "2026-05-01"],
  ["29 2 *", "2026-05-24", "2028-02-29", "2024-02-29"],
  ["* * 1", "2026-05-24", "2026-05-25", "2026-05-18"],
  ["13 * 5", "2026-05-24", "2026-05-29", "2026-05-22"],
  ["L * *", "2026-02-10", "2026-02-28", "2026-01-31"],
])("%s from %s: next %s, previous %s", (fields, from, next, previous) => {
  const days = new CronDays(fields);
  expect([days.next(day(from)), days.previous(day(from))]).toEqual([day(next), day(previous)]);
});

test("a day that no month has never comes", () => {
  expect(new CronDays("30 2 *").next(0)).toBeUndefined();
  expect(new CronDays("30 2 *").previous(0)).toBeUndefined();
});
