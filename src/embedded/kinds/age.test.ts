import { expect, test } from "vitest";
import { ageOf, humanDuration } from "./age.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  [-5, "<invalid>"],
  [-1, "0s"],
  [119, "119s"],
  [2 * MINUTE, "2m"],
  [2 * MINUTE + 1, "2m1s"],
  [179 * MINUTE, "179m"],
  [3 * HOUR, "3h"],
  [7 * HOUR + 59 * MINUTE, "7h59m"],
  [47 * HOUR, "47h"],
  [2 * DAY, "2d"],
  [2 * DAY + HOUR, "2d1h"],
  [8 * DAY + HOUR, "8d"],
  [365 * 2 * DAY, "2y"],
  [365 * 2 * DAY + DAY, "2y1d"],
  [365 * 9 * DAY, "9y"],
])("%d seconds are %s", (seconds, text) => {
  expect(humanDuration(seconds * 1000)).toBe(text);
});

test("the age of nothing is unknown", () => {
  expect(ageOf(undefined, 0)).toBe("<unknown>");
  expect(ageOf("1970-01-01T00:00:10Z", 70_000)).toBe("60s");
});
