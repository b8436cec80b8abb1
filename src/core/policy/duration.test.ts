import { expect, test } from "vitest";
import { durationMs } from "./duration.ts";

test.each([
  ["5m", 300_000],
  ["1h30m", 5_400_000],
  ["1.5s", 1_500],
  ["250ms", 250],
  ["0s", 0],
])("durationMs(%j) is %d", (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});

test.each(["", "5", "m", "5 m", "-5m", "1d"])("durationMs(%j) is refused", (text) => {
  expect(() => durationMs(text)).toThrow(TypeError);
});
