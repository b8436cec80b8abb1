import { expect, test } from "vitest";
import { ageText, momentText } from "./ages.ts";

test.each([
  [0, "1 min"],
  [59_999, "1 min"],
  [59 * 60_000, "59 min"],
  [3_600_000, "1 h"],
  [3.9 * 3_600_000, "3 h"],
  [49 * 3_600_000, "2 d"],
])("%d ms are %s", (ms, text) => {
  expect(ageText(ms)).toBe(text.replace(" ", "\u00a0"));
});

test("a time that is none is shown as nothing", () => {
  expect(momentText(undefined)).toBe("");
  expect(momentText("soon")).toBe("");
  expect(momentText("2026-11-18T03:00:00Z")).toContain("2026");
});
