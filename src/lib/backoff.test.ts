import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backoff } from "./backoff.ts";
import { seededRandom } from "./random.ts";

/** Chance that always falls the same way. */
const fixed = (value: number) => ({ next: () => value, hex: () => "" });

describe("backoff()", () => {
  test("doubles from the base up to the cap", () => {
    const delays = [1, 2, 3, 4, 5, 6].map((attempt) =>
      backoff(attempt, { base: 100, cap: 1000, jitter: 0 }, fixed(0.5)),
    );
    expect(delays).toEqual([100, 200, 400, 800, 1000, 1000]);
  });

  test("grows by the factor", () => {
    expect(backoff(3, { base: 10, cap: 1000, factor: 3, jitter: 0 }, fixed(0))).toBe(90);
  });

  test("leaves half of the delay to chance", () => {
    const options = { base: 100, cap: 1000 };
    expect(backoff(1, options, fixed(0))).toBe(100);
    expect(backoff(1, options, fixed(0.5))).toBe(75);
  });

  test("stays between the part that is not left to chance and the cap, however many attempts", () => {
    fc.assert(
      fc.property(
        fc.record({
          attempt: fc.integer({ min: 1, max: 1_000_000 }),
          base: fc.integer({ min: 1, max: 10_000 }),
          room: fc.integer({ min: 0, max: 1_000_000 }),
          factor: fc.double({ min: 1, max: 10, noNaN: true }),
          jitter: fc.double({ min: 0, max: 1, noNaN: true }),
          seed: fc.integer(),
        }),
        ({ attempt, base, room, factor, jitter, seed }) => {
          const cap = base + room;
          const delay = backoff(attempt, { base, cap, factor, jitter }, seededRandom(seed));
          expect(delay).toBeLessThanOrEqual(cap);
          expect(delay).toBeGreaterThanOrEqual(base * (1 - jitter) * 0.999_999);
        },
      ),
    );
  });
});
