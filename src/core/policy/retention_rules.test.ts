import { expect, test } from "vitest";
import { bucketOf } from "./retention_rules.ts";
import { UTC, Zone } from "./zone.ts";

test.each([
  ["keepHourly", "2026-05-24T02"],
  ["keepDaily", "2026-05-24"],
  ["keepWeekly", "2026-W21"],
  ["keepMonthly", "2026-05"],
  ["keepAnnual", "2026"],
] as const)("bucketOf() by %s is %s", (rule, bucket) => {
  expect(bucketOf(rule, Date.UTC(2026, 4, 24, 2, 13), UTC)).toBe(bucket);
});

test.each([
  ["2021-01-03", "2020-W53"],
  ["2021-01-04", "2021-W01"],
  ["2024-12-30", "2025-W01"],
  ["2026-12-31", "2026-W53"],
])("%s is in the week %s", (date, week) => {
  expect(bucketOf("keepWeekly", Date.parse(date), UTC)).toBe(week);
});

test("the zone decides in which year a snapshot is", () => {
  const instant = Date.parse("2025-12-31T23:30Z");
  expect(bucketOf("keepAnnual", instant, UTC)).toBe("2025");
  expect(bucketOf("keepAnnual", instant, new Zone("Europe/Berlin"))).toBe("2026");
});
