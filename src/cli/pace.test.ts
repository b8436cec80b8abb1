import { expect, test } from "vitest";
import { Pace } from "./pace.ts";

test("a pace is known from the second look on, and follows what happens since", () => {
  let now = 0;
  const pace = new Pace({ monotonic: () => now });
  expect(pace.seen(0)).toBeUndefined();
  now = 1_000;
  expect(pace.seen(100)).toBe(100);
  now = 1_100;
  expect(pace.seen(5_000)).toBe(100);
  now = 2_000;
  expect(pace.seen(300)).toBeCloseTo(130);
  now = 3_000;
  expect(pace.seen(0)).toBeCloseTo(91);
});
