import { expect, test } from "vitest";
import { scheduleTimes } from "./schedule_times.ts";

const asked = { cron: "H 3 * * *", timezone: "Europe/Berlin" };

test.each([
  ["not resolved yet", undefined, { cron: "H 3 * * *", zone: "Europe/Berlin" }],
  ["resolved", "17 3 * * * Asia/Tokyo", { cron: "17 3 * * *", zone: "Asia/Tokyo" }],
  ["resolved to what is none", "", { cron: "H 3 * * *", zone: "Europe/Berlin" }],
])("a schedule that is %s", (_, resolved, times) => {
  expect(scheduleTimes(resolved, asked)).toEqual(times);
});
