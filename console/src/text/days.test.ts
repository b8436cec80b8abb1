import { expect, test } from "vitest";
import { dayText, dayTone, weeksOf } from "./days.ts";

const day = (day: string, good = 0, incomplete = 0, failed = 0) => ({ day, good, incomplete, failed });

test("a day counts by its worst", () => {
  expect(dayTone(day("2026-11-18"))).toBe("dim");
  expect(dayTone(day("2026-11-18", 3))).toBe("good");
  expect(dayTone(day("2026-11-18", 3, 1))).toBe("warn");
  expect(dayTone(day("2026-11-18", 3, 1, 1))).toBe("bad");
  expect(dayText(day("2026-11-18", 3, 0, 1))).toContain(": 3 good, 1 failed");
  expect(dayText(day("2026-11-18"))).toContain(": no backups");
});

test("weeks begin on Monday, end with the day that is asked for, and hold every day once", () => {
  const weeks = weeksOf([day("2026-11-17", 2)], "2026-11-18T23:00:00Z", 53);
  expect(weeks).toHaveLength(53);
  expect(weeks.at(-1)?.map((one) => one.day)).toEqual(["2026-11-16", "2026-11-17", "2026-11-18"]);
  expect(weeks.at(-1)?.[1]?.good).toBe(2);
  expect(weeks.at(-2)).toHaveLength(7);
  expect(new Set(weeks.flat().map((one) => one.day)).size).toBe(52 * 7 + 3);
});
