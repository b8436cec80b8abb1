import { expect, test } from "vitest";
import { agoText, durationText } from "./times_text.ts";

test.each([
  [0, "0s"],
  [1_400, "1s"],
  [90_000, "1m30s"],
  [600_000, "10m"],
  [3_600_000, "1h"],
  [3 * 86_400_000 + 4 * 3_600_000, "3d4h"],
  [40 * 86_400_000 + 4 * 3_600_000, "40d"],
])("%d ms are %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test.each([
  ["2026-01-01T00:00:00Z", "1h ago"],
  ["2026-01-01T01:05:00Z", "in 5m"],
  [undefined, ""],
  ["nonsense", ""],
])("%s is %j", (at, text) => {
  expect(agoText(at, Date.parse("2026-01-01T01:00:00Z"))).toBe(text);
});
