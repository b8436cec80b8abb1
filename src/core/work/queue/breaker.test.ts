import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Breaker, decideBreaker, type Evidence } from "./breaker.ts";

const NOW = Date.parse("2026-05-24T00:00:00Z");
const SECOND = 1000;
const iso = (ms: number) => new Date(ms).toISOString();
const failed = (ago: number, count = 1) => ({
  at: NOW - ago * SECOND,
  failure: "Unreachable" as const,
  count,
});
const decide = (evidence: Evidence, before?: Breaker, now = NOW) => decideBreaker({ evidence, before, now });
const open: Breaker = {
  state: "Open",
  consecutiveFailures: 3,
  errorClass: "Unreachable",
  openedAt: iso(NOW - 60 * SECOND),
  nextProbeAt: iso(NOW - 30 * SECOND),
};

describe("decideBreaker()", () => {
  test("stays closed while failures are rare", () => {
    expect(decide({ setbacks: [] })).toEqual({ state: "Closed", consecutiveFailures: 0 });
    expect(decide({ setbacks: [failed(1), failed(2)] })).toEqual({ state: "Closed", consecutiveFailures: 2 });
  });

  test("opens at the third failure in a row, of one task or of several", () => {
    const breaker = {
      state: "Open",
      consecutiveFailures: 3,
      errorClass: "Unreachable",
      openedAt: iso(NOW),
      nextProbeAt: iso(NOW + 29 * SECOND),
    };
    expect(decide({ setbacks: [failed(1), failed(2), failed(3)] })).toEqual(breaker);
    expect(decide({ setbacks: [failed(1, 3)] })).toEqual(breaker);
  });

  test("what failed before the last success does not count", () => {
    const evidence = { goodAt: NOW - 2 * SECOND, setbacks: [failed(1), failed(3), failed(4)] };
    expect(decide(evidence)).toEqual({ state: "Closed", consecutiveFailures: 1 });
  });

  test("what failed long ago does not count", () => {
    expect(decide({ setbacks: [failed(1), failed(2), failed(4000)] }).state).toBe("Closed");
  });

  test("lets one look when its time has come, and waits twice as long after each failure", () => {
    expect(decide({ setbacks: [failed(30, 3)] }, open).state).toBe("HalfOpen");
    const later = decide({ setbacks: [failed(30, 4)] }, open);
    expect(later).toMatchObject({ state: "Open", nextProbeAt: iso(NOW + 30 * SECOND) });
    expect(later.openedAt).toBe(open.openedAt);
    expect(decide({ setbacks: [failed(0, 30)] }, open).nextProbeAt).toBe(iso(NOW + 900 * SECOND));
  });

  test("closes with the first success", () => {
    const evidence = { goodAt: NOW, setbacks: [failed(1, 3)] };
    expect(decide(evidence, open)).toEqual({ state: "Closed", consecutiveFailures: 0 });
  });

  test("stays open when those that failed are gone", () => {
    expect(decide({ setbacks: [] }, open)).toEqual({ ...open, state: "HalfOpen" });
  });

  test("a clock that was set back makes nobody wait for longer than a quarter of an hour", () => {
    const breaker = decide({ setbacks: [failed(-7200, 3)] }, open);
    expect(Date.parse(breaker.nextProbeAt ?? "")).toBe(NOW + 900 * SECOND);
  });

  test("what it says is stable: asked again at the same moment it says the same", () => {
    const setbacks = fc.array(
      fc.record({ ago: fc.integer({ min: 0, max: 5000 }), count: fc.integer({ min: 1, max: 9 }) }),
    );
    fc.assert(
      fc.property(setbacks, fc.option(fc.integer({ min: 0, max: 5000 })), (given, good) => {
        const evidence = {
          setbacks: given.map(({ ago, count }) => failed(ago, count)),
          ...(good === null ? {} : { goodAt: NOW - good * SECOND }),
        };
        const once = decide(evidence);
        expect(decide(evidence, once)).toEqual(once);
      }),
    );
  });
});
