import { expect, test } from "vitest";
import { runWish } from "./run_wish.ts";

test.each([
  ["quick", { mode: "Quick" }],
  ["quick-2026-05-24", { mode: "Quick" }],
  ["full", { mode: "Full" }],
  ["full at noon", { mode: "Full" }],
  ["full-immediate", { mode: "Full", immediate: true }],
  ["full-immediate again", { mode: "Full", immediate: true }],
  ["check 20260522", { mode: "Full", step: "Check" }],
])("%j is understood", (text, turn) => {
  expect(runWish(text, "full before")).toEqual({ text, turn });
});

test.each([["now"], ["fully"], ["checked"], ["Quick"], ["quickly"]])("%j is not understood", (text) => {
  expect(runWish(text, undefined)).toEqual({ text });
});

test("what was carried out, or never asked for, is no wish", () => {
  expect(runWish("full 1", "full 1")).toBeUndefined();
  expect(runWish(undefined, "full 1")).toBeUndefined();
  expect(runWish("", undefined)).toBeUndefined();
});

test("a long request is carried out once", () => {
  const long = `full ${"x".repeat(500)}`;
  const { text = "" } = runWish(long, undefined) ?? {};
  expect(runWish(long, text)).toBeUndefined();
});
