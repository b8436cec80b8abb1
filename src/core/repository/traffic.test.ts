import { describe, expect, test } from "vitest";
import { NOW, readyNas } from "../testing/samples.ts";
import type { RepositoryState } from "./repository.ts";
import { type Traffic, withTraffic } from "./traffic.ts";

const IDLE = { running: 0, waiting: 0 };
const setback = (secondsAgo: number, count: number) => ({
  at: NOW - secondsAgo * 1000,
  failure: "Unreachable" as const,
  count,
});
const OPEN: NonNullable<RepositoryState["breaker"]> = {
  state: "Open",
  consecutiveFailures: 3,
  errorClass: "Unreachable",
  openedAt: "2026-05-24T02:13:00Z",
  nextProbeAt: "2026-05-24T02:13:30Z",
};

function decide(traffic: Partial<Traffic> = {}, decision = {}) {
  const whole = { repository: readyNas(), evidence: { setbacks: [] }, runs: IDLE, now: NOW, ...traffic };
  return withTraffic({ intents: [], ...decision }, whole);
}

describe("withTraffic()", () => {
  test("a repository where nothing goes on, and nothing ever failed, has nothing to say of it", () => {
    expect(decide().status).toEqual(readyNas().status);
    expect(decide().wakeAt).toBeUndefined();
  });

  test("nothing is made up of a repository of which nothing is known yet", () => {
    const repository = { ...readyNas() };
    delete (repository as { status?: unknown }).status;
    expect(decide({ repository }).status).toBeUndefined();
  });

  test("runs are counted while there are any, and now and then", () => {
    const { status, wakeAt } = decide({ runs: { running: 4, waiting: 12 } });
    expect(status?.runs).toEqual({ running: 4, waiting: 12 });
    expect(wakeAt).toBe(NOW + 30_000);
    const repository = readyNas({ status: { runs: { running: 1, waiting: 0 } } });
    expect(decide({ repository }).status?.runs).toEqual(IDLE);
  });

  test("after three failures the breaker opens, is told of, and looked at again when a probe is due", () => {
    const { status, events, wakeAt } = decide({ evidence: { setbacks: [setback(0, 3)] } });
    expect(status?.breaker).toEqual(OPEN);
    expect(status?.conditions).toMatchObject([
      { type: "StorageHealthy", status: "False", reason: "BreakerOpen" },
    ]);
    expect(events).toMatchObject([{ type: "Warning", reason: "BreakerOpen" }]);
    expect(events?.[0]?.message).toContain("failed 3 times in a row (Unreachable)");
    expect(wakeAt).toBe(NOW + 30_000);
  });

  test("while it stays open it is not told again", () => {
    const repository = readyNas({ status: { breaker: OPEN } });
    const { status, events } = decide({ repository, evidence: { setbacks: [setback(0, 3)] } });
    expect(status?.breaker).toEqual(OPEN);
    expect(events).toEqual([]);
  });

  test("when a probe is due the breaker says so", () => {
    const repository = readyNas({ status: { breaker: OPEN } });
    const evidence = { setbacks: [setback(0, 3)] };
    expect(decide({ repository, evidence, now: NOW + 30_000 }).status?.breaker?.state).toBe("HalfOpen");
  });

  test("a success closes it", () => {
    const repository = readyNas({ status: { breaker: OPEN } });
    const { status, events } = decide({ repository, evidence: { setbacks: [], goodAt: NOW + 1000 } });
    expect(status?.breaker).toEqual({ state: "Closed", consecutiveFailures: 0 });
    expect(status?.conditions).toMatchObject([{ type: "StorageHealthy", status: "True" }]);
    expect(events).toMatchObject([{ type: "Normal", reason: "BreakerClosed" }]);
  });

  test("what was decided besides stays, and what is due sooner comes first", () => {
    const decided = { status: { phase: "Ready" as const }, wakeAt: NOW + 5 };
    const { status, wakeAt } = decide({ runs: { running: 1, waiting: 0 } }, decided);
    expect(status).toEqual({ phase: "Ready", runs: { running: 1, waiting: 0 } });
    expect(wakeAt).toBe(NOW + 5);
  });
});
