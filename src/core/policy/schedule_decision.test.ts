import { describe, expect, test } from "vitest";
import { parseCron } from "./cron.ts";
import type { ScheduleHistory, ScheduleRules } from "./schedule.ts";
import { decideSchedule, MOST_COUNTED, type Skip } from "./schedule_decision.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A midnight. */
const START = Date.UTC(2026, 4, 24);
const at = (hours: number, minutes = 0) => START + hours * HOUR + minutes * MINUTE;

const cronOf = (expression: string) => {
  const parsed = parseCron({ expression, seed: "uid" });
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
};
const hourly = cronOf("@hourly");
const rules = (more: Partial<ScheduleRules> = {}): ScheduleRules => ({
  uid: "uid",
  cron: hourly,
  jitter: 0,
  suspend: false,
  runOnCreate: false,
  concurrency: "Forbid",
  ...more,
});
const history = (more: Partial<ScheduleHistory> & { readonly marked?: number } = {}): ScheduleHistory => ({
  createdAt: at(0, 30),
  wasSuspended: false,
  made: new Set(),
  running: [],
  ...(more.marked !== undefined && { mark: { slot: more.marked, cron: hourly.text } }),
  ...more,
});
const one = (reason: Skip["reason"], slot: number): Skip => ({ reason, first: slot, last: slot, count: 1 });
const many = (reason: Skip["reason"], first: number, last: number, count: number): Skip => ({
  reason,
  first,
  last,
  count,
});

describe("decideSchedule()", () => {
  test("does nothing on creation, and wakes for the first slot", () => {
    expect(decideSchedule(rules(), history(), at(0, 30))).toEqual({
      skip: [],
      replace: [],
      mark: { slot: at(0, 30), cron: "0 * * * * UTC" },
      next: { slot: at(1), at: at(1) },
      wakeAt: at(1),
    });
  });

  test("a slot fires at its time, not before, and once", () => {
    expect(decideSchedule(rules(), history(), at(1) - 1).fire).toBeUndefined();
    const decision = decideSchedule(rules(), history(), at(1));
    expect(decision).toMatchObject({ fire: { slot: at(1), at: at(1) }, skip: [], wakeAt: at(2) });
    const { mark } = decision;
    expect(decideSchedule(rules(), history({ mark }), at(1)).fire).toBeUndefined();
  });

  test("with jitter it fires that much later, and the slot stays what it is", () => {
    const jittered = rules({ jitter: 30 * MINUTE });
    const { next } = decideSchedule(jittered, history(), at(0, 30));
    expect(next?.slot).toBe(at(1));
    const when = next?.at ?? 0;
    expect(when).toBeGreaterThan(at(1));
    expect(decideSchedule(jittered, history(), when - 1).fire).toBeUndefined();
    expect(decideSchedule(jittered, history(), when).fire).toEqual({ slot: at(1), at: when });
  });

  test("what was made is not made again when the mark was lost", () => {
    const decision = decideSchedule(rules(), history({ made: new Set([at(1)]), running: ["b"] }), at(1, 5));
    expect(decision).toMatchObject({ skip: [], mark: { slot: at(1) }, wakeAt: at(2) });
    expect(decision.fire).toBeUndefined();
  });

  test("after a long absence the latest slot fires, and the missed ones are one skip", () => {
    const decision = decideSchedule(rules(), history({ marked: at(1) }), at(22));
    expect(decision.fire?.slot).toBe(at(22));
    expect(decision.skip).toEqual([many("Missed", at(2), at(21), 20)]);
    expect(decision.mark.slot).toBe(at(22));
  });

  test("those that were made are not among the missed", () => {
    const decision = decideSchedule(
      rules(),
      history({ marked: at(1), made: new Set([at(2), at(4)]) }),
      at(5),
    );
    expect(decision.skip).toEqual([one("Missed", at(3))]);
    expect(decision.fire?.slot).toBe(at(5));
  });

  test("very many missed slots are not all counted, but all decided", () => {
    const cron = cronOf("* * * * *");
    const mark = { slot: START, cron: cron.text };
    const decision = decideSchedule(rules({ cron }), history({ mark }), START + 365 * DAY);
    expect(decision.skip).toEqual([many("Missed", START + MINUTE, START + 365 * DAY - MINUTE, MOST_COUNTED)]);
    expect(decision.mark.slot).toBe(START + 365 * DAY);
  });

  test("exactly as many as are counted are counted exactly", () => {
    const decision = decideSchedule(rules(), history({ marked: at(0) }), at(MOST_COUNTED + 1));
    expect(decision.skip).toEqual([many("Missed", at(1), at(MOST_COUNTED), MOST_COUNTED)]);
  });

  describe("with a starting deadline", () => {
    const strict = rules({ startingDeadline: 10 * MINUTE });

    test("a slot within it fires late", () => {
      expect(decideSchedule(strict, history({ marked: at(0) }), at(1, 10)).fire?.slot).toBe(at(1));
    });

    test("beyond it the whole window is one skip", () => {
      const decision = decideSchedule(strict, history({ marked: at(0) }), at(3, 11));
      expect(decision.fire).toBeUndefined();
      expect(decision.skip).toEqual([many("DeadlineExceeded", at(1), at(3), 3)]);
    });

    test("it counts from the time with jitter", () => {
      const jittered = { ...strict, jitter: 59 * MINUTE };
      const { next } = decideSchedule(jittered, history({ marked: at(0) }), at(0));
      const latest = (next?.at ?? 0) + 10 * MINUTE;
      expect(decideSchedule(jittered, history({ marked: at(0) }), latest).fire?.slot).toBe(at(1));
    });

    test("without one the latest slot is made up for, however late", () => {
      const cron = cronOf("0 0 1 1 *");
      const mark = { slot: Date.UTC(2025, 5, 1), cron: cron.text };
      const decision = decideSchedule(rules({ cron }), history({ mark }), START);
      expect(decision.fire?.slot).toBe(Date.UTC(2026, 0, 1));
    });
  });

  describe("while earlier work runs", () => {
    const running = history({ marked: at(0), running: ["earlier"] });

    test("Forbid skips", () => {
      const decision = decideSchedule(rules(), running, at(1));
      expect(decision).toMatchObject({ skip: [one("StillRunning", at(1))], mark: { slot: at(1) } });
      expect(decision.fire).toBeUndefined();
    });

    test("Allow fires beside it", () => {
      const decision = decideSchedule(rules({ concurrency: "Allow" }), running, at(1));
      expect(decision).toMatchObject({ fire: { slot: at(1) }, replace: [], skip: [] });
    });

    test("Replace fires in its place", () => {
      const decision = decideSchedule(rules({ concurrency: "Replace" }), running, at(1));
      expect(decision).toMatchObject({ fire: { slot: at(1) }, replace: ["earlier"], skip: [] });
    });

    test("missed and still running are two reasons, and two skips", () => {
      expect(decideSchedule(rules(), running, at(3)).skip).toEqual([
        many("Missed", at(1), at(2), 2),
        one("StillRunning", at(3)),
      ]);
    });
  });

  describe("suspended", () => {
    test("it sleeps, and decides nothing", () => {
      const decision = decideSchedule(rules({ suspend: true }), history({ marked: at(0) }), at(5));
      expect(decision).toEqual({ skip: [], replace: [], mark: { slot: at(0), cron: "0 * * * * UTC" } });
    });

    test("when it goes on, what passed is one skip, and the next slot fires", () => {
      const decision = decideSchedule(rules(), history({ marked: at(0), wasSuspended: true }), at(5, 10));
      expect(decision.fire).toBeUndefined();
      expect(decision.skip).toEqual([many("Suspended", at(1), at(5), 5)]);
      const { mark } = decision;
      expect(decideSchedule(rules(), history({ mark }), at(6)).fire?.slot).toBe(at(6));
    });

    test("a run on creation is skipped", () => {
      const decision = decideSchedule(rules({ suspend: true, runOnCreate: true }), history(), at(0, 30));
      expect(decision.skip).toEqual([one("Suspended", at(0, 30))]);
      const resumed = history({ mark: decision.mark, wasSuspended: true });
      expect(decideSchedule(rules({ runOnCreate: true }), resumed, at(0, 40)).fire).toBeUndefined();
    });
  });

  describe("with runOnCreate", () => {
    const eager = rules({ runOnCreate: true, startingDeadline: MINUTE });

    test("it fires at once, by whichever clock, and then by the expression", () => {
      for (const now of [at(0, 30), at(0, 29), at(0, 59)]) {
        const decision = decideSchedule(eager, history(), now);
        expect(decision).toMatchObject({ fire: { slot: at(0, 30), at: at(0, 30) }, wakeAt: at(1) });
        const again = history({ mark: decision.mark });
        expect(decideSchedule(eager, again, now).fire).toBeUndefined();
      }
    });

    test("it stands for the slots that passed before it was seen", () => {
      const decision = decideSchedule(eager, history(), at(3, 20));
      expect(decision.fire?.slot).toBe(at(0, 30));
      expect(decision).toMatchObject({ skip: [many("Missed", at(1), at(3), 3)], mark: { slot: at(3) } });
    });

    test("it fires once when the mark was lost", () => {
      const decision = decideSchedule(eager, history({ made: new Set([at(0, 30)]) }), at(0, 31));
      expect(decision.fire).toBeUndefined();
    });

    test("turned on later it does nothing", () => {
      const { mark } = decideSchedule(rules(), history(), at(0, 31));
      expect(decideSchedule(eager, history({ mark }), at(0, 32)).fire).toBeUndefined();
    });
  });

  describe("when the clock is set", () => {
    test("back by hours, nothing fires again", () => {
      const decision = decideSchedule(rules(), history({ marked: at(10) }), at(4));
      expect(decision).toMatchObject({ skip: [], mark: { slot: at(10) }, wakeAt: at(11) });
      expect(decision.fire).toBeUndefined();
    });

    test("back by more than a day, the schedule goes on from now instead of waiting", () => {
      const decision = decideSchedule(rules(), history({ marked: at(0) + 3650 * DAY }), at(4, 30));
      expect(decision).toMatchObject({ skip: [], mark: { slot: at(4, 30) }, wakeAt: at(5) });
    });
  });

  test("a new expression promises nothing for the past", () => {
    const mark = { slot: at(0), cron: "0 0 * * 0 UTC" };
    const decision = decideSchedule(rules(), history({ mark }), at(5, 10));
    expect(decision).toMatchObject({ skip: [], mark: { slot: at(5, 10), cron: hourly.text }, wakeAt: at(6) });
    expect(decision.fire).toBeUndefined();
  });
});
