import { describe, expect, test } from "vitest";
import { isStillToCome, retryDelay } from "./retry.ts";

describe("retryDelay()", () => {
  test.each([
    ["transient", 1, 30],
    ["transient", 2, 60],
    ["transient", 3, 120],
    ["transient", 6, 900],
    ["transient", 60, 900],
    ["structural", 1, 300],
    ["structural", 9, 300],
  ] as const)("after a %s failure, the %dth, is %d s, and up to a fifth more", (retry, failures, seconds) => {
    const delays = Array.from(
      { length: 200 },
      (_, n) => retryDelay({ retry, failures, run: `run-${n}` }) ?? 0,
    );
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(seconds * 1000);
    expect(Math.max(...delays)).toBeLessThanOrEqual(seconds * 1200);
    expect(new Set(delays).size).toBeGreaterThan(100);
  });

  test("is none after a terminal one", () => {
    expect(retryDelay({ retry: "terminal", failures: 1, run: "a" })).toBeUndefined();
  });

  test("is always the same for a run", () => {
    const question = { retry: "transient", failures: 2, run: "a" } as const;
    expect(retryDelay(question)).toBe(retryDelay(question));
  });
});

test.each([
  ["a time that has come", 0, false],
  ["the next moment", 1, true],
  ["the end of the longest delay", 1_080_000, true],
  ["a time that only a wrong clock can have written", 1_080_001, false],
  ["the next day", 86_400_000, false],
])("%s, %i ms ahead, is still to come: %s", (_, ahead, expected) => {
  const now = Date.parse("2026-05-24T02:13:00Z");
  expect(isStillToCome(new Date(now + ahead).toISOString(), now)).toBe(expected);
});

test("nothing is not to come", () => {
  expect(isStillToCome(undefined, 0)).toBe(false);
});
