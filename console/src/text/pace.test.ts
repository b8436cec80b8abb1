import { expect, test } from "vitest";
import { paceOf, withSample } from "./pace.ts";

test("rate and time left come from what was seen", () => {
  const samples = [
    { at: 0, percent: 10, bytes: 1_000 },
    { at: 10_000, percent: 30, bytes: 21_000 },
  ];
  expect(paceOf(samples)).toEqual({ bytesPerSecond: 2_000, leftMs: 35_000 });
});

test.each([
  ["one sample", [{ at: 0, percent: 10 }]],
  [
    "a time too short",
    [
      { at: 0, percent: 10 },
      { at: 1_000, percent: 20 },
    ],
  ],
  ["none", []],
])("%s tells nothing", (_, samples) => {
  expect(paceOf(samples)).toEqual({});
});

test("a run that stands still has a rate of nothing, and no time left that could be told", () => {
  const samples = [
    { at: 0, percent: 10, bytes: 5 },
    { at: 9_000, percent: 10, bytes: 5 },
  ];
  expect(paceOf(samples)).toEqual({ bytesPerSecond: 0, leftMs: undefined });
});

test("old samples go, the same one counts once, and a new attempt begins anew", () => {
  const first = { at: 0, bytes: 10 };
  const later = { at: 70_000, bytes: 20 };
  expect(withSample([first], later)).toEqual([later]);
  expect(withSample([first], { ...first })).toEqual([first]);
  const again = { at: 5_000, bytes: 1 };
  expect(withSample([first], again)).toEqual([again]);
});
