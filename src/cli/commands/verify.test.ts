import { expect, test } from "vitest";
import { percentOf, soundLines } from "./verify.ts";

const AT = "2026-05-24T02:13:00.000Z";

test.each([
  [undefined, /^the structure .* read none of the stored data$/, 2],
  [0, /^the structure .* read none of the stored data$/, 2],
  [10, /^the structure .* read 10% of the stored data$/, 2],
  [100, /^the repository is sound: .* read all stored data$/, 1],
])("a check that read %s percent says no more than it knows", (percent, wanted, lines) => {
  const said = soundLines({ at: AT, ...(percent === undefined ? {} : { dataPercent: percent }) });
  expect(said[0]).toMatch(wanted);
  expect(said).toHaveLength(lines);
});

test.each([
  ["0", 0],
  ["10", 10],
  ["25%", 25],
  ["100", 100],
  [undefined, undefined],
])("%j is understood", (text, wanted) => {
  expect(percentOf(text)).toBe(wanted);
});

test.each(["101", "-1", "half", "1.5", ""])("%j is refused, with what to write", (text) => {
  expect(() => percentOf(text)).toThrow(/is no percentage/);
});
