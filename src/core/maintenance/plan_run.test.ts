import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GROUP } from "../testing/samples.ts";
import type { Maintenance, MaintenanceState } from "./maintenance.ts";
import { type MaintenanceMemory, MEMORY, purposeOf } from "./maintenance_run.ts";
import { type Plan, planRun } from "./plan_run.ts";
import { sampleMaintenance, scheduled } from "./testing/sample_maintenance.ts";

const at = (time: string) => Date.parse(time);
const HOUR = 3_600_000;

function plan(
  maintenance: Maintenance,
  time: string | number,
  more: { readonly busy?: boolean; readonly mayBegin?: boolean } = {},
) {
  const now = typeof time === "string" ? at(time) : time;
  return planRun({ maintenance, busy: false, mayBegin: true, now, ...more });
}

const keeping = (memory: MaintenanceMemory, status: MaintenanceState = {}): MaintenanceState => ({
  ...status,
  work: { [MEMORY]: memory },
});
const written = ({ memory, handledRequest }: Plan) =>
  keeping(memory, handledRequest ? { handledRunRequest: handledRequest } : {});
const asking = (request: string) => ({ annotations: { [`${GROUP}/run-requested`]: request } });

describe("planTurn()", () => {
  test("nothing runs on creation, and both schedules say when they are due", () => {
    const first = plan(sampleMaintenance(), "2026-05-22T00:00:00Z");
    expect(first.fresh).toBe(false);
    expect(first.memory.turn).toBeUndefined();
    expect(first.next).toMatchObject({
      quick: { at: at("2026-05-22T06:00:00Z") },
      full: { at: at("2026-05-24T03:00:00Z") },
    });
  });

  test("a slot whose time has come is a turn, once", () => {
    const due = plan(sampleMaintenance(), "2026-05-22T06:00:00Z");
    expect(due.fresh).toBe(true);
    expect(due.memory.turn).toEqual({ mode: "Quick", step: "Maintain", cause: "2026-05-22T06:00:00.000Z" });
    const again = plan(sampleMaintenance({ status: written(due) }), "2026-05-22T06:00:01Z");
    expect(again.fresh).toBe(false);
    expect(again.memory).toEqual(due.memory);
    expect(again.next.quick?.at).toBe(at("2026-05-22T12:00:00Z"));
  });

  test("when both are due, the full one stands for the quick one", () => {
    const spec = scheduled({ quick: { cron: "0 3 * * *", jitter: "0s" } });
    const due = plan(sampleMaintenance({ spec }), "2026-05-24T03:00:00Z");
    expect(due.memory.turn?.mode).toBe("Full");
    const again = plan(sampleMaintenance({ spec, status: written(due) }), "2026-05-24T03:10:00Z");
    expect(again.fresh).toBe(false);
  });

  test("what was missed is one turn and one notice", () => {
    const due = plan(sampleMaintenance(), "2026-05-23T13:00:00Z");
    expect(due.memory.turn?.cause).toBe("2026-05-23T12:00:00.000Z");
    expect(due.missed).toEqual({
      quick: {
        reason: "Missed",
        first: at("2026-05-22T06:00:00Z"),
        last: at("2026-05-23T06:00:00Z"),
        count: 5,
      },
    });
  });

  test.each([
    ["a turn is under way", { busy: true }],
    ["something is in the way", { mayBegin: false }],
  ])("nothing begins, and no slot is passed over, while %s", (_, more) => {
    const waiting = plan(sampleMaintenance(), "2026-05-22T06:00:00Z", more);
    expect(waiting.fresh).toBe(false);
    const later = plan(sampleMaintenance({ status: written(waiting) }), "2026-05-22T07:00:00Z");
    expect(later.memory.turn?.cause).toBe("2026-05-22T06:00:00.000Z");
  });

  test("while it is suspended nothing is due, and what passed is not made up for", () => {
    const spec = scheduled({ suspend: true });
    const resting = plan(sampleMaintenance({ spec }), "2026-05-22T07:00:00Z");
    expect(resting).toMatchObject({ fresh: false, next: {} });
    const status = written(resting);
    const awake = plan(sampleMaintenance({ status }), "2026-05-22T13:00:00Z");
    expect(awake).toMatchObject({ fresh: false, missed: {} });
    expect(awake.next.quick?.at).toBe(at("2026-05-22T18:00:00Z"));
    expect(awake.memory.resumedAt).toBe(at("2026-05-22T13:00:00Z"));
    const later = plan(sampleMaintenance({ status: written(awake) }), "2026-05-22T18:00:00Z");
    expect(later.memory).toMatchObject({ turn: { mode: "Quick" }, resumedAt: awake.memory.resumedAt });
  });

  test("somebody's request comes before what is due, also while it is suspended, and only once", () => {
    const metadata = asking("full-immediate 1");
    const spec = scheduled({ suspend: true });
    const asked = plan(sampleMaintenance({ metadata, spec }), "2026-05-22T07:00:00Z");
    expect(asked).toMatchObject({
      fresh: true,
      handledRequest: "full-immediate 1",
      memory: { turn: { mode: "Full", immediate: true } },
    });
    const again = plan(sampleMaintenance({ metadata, spec, status: written(asked) }), "2026-05-22T08:00:00Z");
    expect(again.fresh).toBe(false);
  });

  test("a slot that is due when somebody asks comes afterwards", () => {
    const metadata = asking("quick");
    const asked = plan(sampleMaintenance({ metadata }), "2026-05-24T03:00:00Z");
    expect(asked.memory.turn?.mode).toBe("Quick");
    const then = plan(sampleMaintenance({ metadata, status: written(asked) }), "2026-05-24T03:01:00Z");
    expect(then.memory.turn?.mode).toBe("Full");
  });

  test("a check that somebody asks for is all that happens, whatever the last one found", () => {
    const metadata = asking("check 1");
    const status = { lastCheck: { at: "2026-05-01T00:00:00Z", healthy: false } };
    const asked = plan(sampleMaintenance({ metadata, status }), "2026-05-22T01:00:00Z");
    expect(asked).toMatchObject({ fresh: true, handledRequest: "check 1" });
    expect(asked.memory.turn).toEqual({ mode: "Full", step: "Check", cause: "asked check 1" });
  });

  test("a request that nobody understands is answered once", () => {
    const metadata = asking("soon");
    const asked = plan(sampleMaintenance({ metadata }), "2026-05-22T01:00:00Z");
    expect(asked).toMatchObject({ fresh: false, unknownRequest: "soon", handledRequest: "soon" });
    const again = plan(sampleMaintenance({ metadata, status: written(asked) }), "2026-05-22T01:01:00Z");
    expect(again.unknownRequest).toBeUndefined();
  });

  test("after a check that found damage, a turn begins with another check", () => {
    const status = { lastCheck: { at: "2026-05-21T00:00:00Z", healthy: false } };
    const due = plan(sampleMaintenance({ status }), "2026-05-22T06:00:00Z");
    expect(due.memory.turn).toMatchObject({ mode: "Quick", step: "Check", checkFirst: true });
  });

  test("jitter is the same for every process, differs between the two schedules, and moves no slot", () => {
    const both = { cron: "0 3 * * *", jitter: "1h" };
    const maintenance = sampleMaintenance({ spec: scheduled({ quick: both, full: both }) });
    const { next } = plan(maintenance, "2026-05-22T00:00:00Z");
    expect(next.quick?.slot).toBe(next.full?.slot);
    expect(next.quick?.at).not.toBe(next.full?.at);
    expect(plan(maintenance, "2026-05-22T00:30:00Z").next).toEqual(next);
  });

  test("a time that nobody could tell is never due", () => {
    const spec = scheduled({ quick: { cron: "nonsense", jitter: "0s" } });
    const one = plan(sampleMaintenance({ spec }), "2026-05-24T06:00:00Z");
    expect(one.next.quick).toBeUndefined();
    expect(one.memory.turn?.mode).toBe("Full");
  });

  test("however the clock is set and whoever looks when, a slot has one turn", () => {
    const steps = fc.array(
      fc.record({ step: fc.integer({ min: -5 * HOUR, max: 9 * HOUR }), busy: fc.boolean() }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, (looks) => {
        let now = at("2026-05-22T00:00:00Z");
        let status: MaintenanceState = {};
        const turns: string[] = [];
        for (const { step, busy } of looks) {
          now += step;
          const one = plan(sampleMaintenance({ status }), now, { busy });
          if (one.fresh && one.memory.turn) turns.push(purposeOf(one.memory.turn));
          status = written(one);
        }
        expect(new Set(turns).size).toBe(turns.length);
      }),
    );
  });
});
