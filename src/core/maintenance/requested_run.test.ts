import { expect, test } from "vitest";
import { requestedRun } from "./requested_run.ts";

test.each([
  ["quick", { mode: "Quick" }],
  ["quick-2026-05-24", { mode: "Quick" }],
  ["full", { mode: "Full" }],
  ["full at noon", { mode: "Full" }],
  ["full-immediate", { mode: "Full", immediate: true }],
  ["full-immediate again", { mode: "Full", immediate: true }],
  ["check 20260522", { mode: "Full", step: "Check" }],
  ["check-25 20260522", { mode: "Full", step: "Check", dataPercent: 25 }],
  ["check-100", { mode: "Full", step: "Check", dataPercent: 100 }],
  ["snapshot-k1a2 20260522", { mode: "Full", step: "Check", snapshot: "k1a2" }],
])("%j is understood", (text, run) => {
  expect(requestedRun(text, "full before")).toEqual({ text, run });
});

test.each([
  ["now"],
  ["check-101"],
  ["snapshot-"],
  ["snapshot-a/b"],
  ["fully"],
  ["checked"],
  ["Quick"],
  ["quickly"],
])("%j is not understood", (text) => {
  expect(requestedRun(text, undefined)).toEqual({ text });
});

test("what was carried out, or never asked for, is no wish", () => {
  expect(requestedRun("full 1", "full 1")).toBeUndefined();
  expect(requestedRun(undefined, "full 1")).toBeUndefined();
  expect(requestedRun("", undefined)).toBeUndefined();
});

test("a long request is carried out once", () => {
  const long = `full ${"x".repeat(500)}`;
  const { text = "" } = requestedRun(long, undefined) ?? {};
  expect(requestedRun(long, text)).toBeUndefined();
});
