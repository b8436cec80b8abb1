import fc from "fast-check";
import { expect, test } from "vitest";
import { type Cron, parseCron } from "./cron.ts";
import type { ScheduleMark, ScheduleRules } from "./schedule.ts";
import { decideSchedule, type Skip } from "./schedule_decision.ts";
import { slotName } from "./slot_name.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** The evening before clocks are put back in Berlin. */
const START = Date.UTC(2026, 9, 24, 18);

type Step =
  | { readonly kind: "wait"; readonly time: number }
  | { readonly kind: "set the clock"; readonly to: number }
  | { readonly kind: "finish" }
  | { readonly kind: "suspend"; readonly on: boolean }
  | { readonly kind: "crash"; readonly time: number; readonly after: "made" | "decided" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("wait"), time: fc.integer({ min: 0, max: 20 * MINUTE }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("wait"), time: fc.integer({ min: 0, max: 9 * HOUR }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("set the clock"),
      to: fc.integer({ min: -9 * HOUR, max: 9 * HOUR }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("finish") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("suspend"), on: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("crash"),
      time: fc.integer({ min: 0, max: 90 * MINUTE }),
      after: fc.constantFrom("made", "decided"),
    }),
  },
) as fc.Arbitrary<Step>;

/** What the cluster holds: all that outlives an operator. */
class World {
  readonly made = new Map<string, number>();
  readonly skips: Skip[] = [];
  running: readonly string[] = [];
  mark: ScheduleMark | undefined;
  wasSuspended = false;
  now = START;
  suspend = false;
  faults: string[] = [];

  look(rules: ScheduleRules, crash?: "made" | "decided"): void {
    const { mark, wasSuspended, running } = this;
    const made = new Set(this.made.values());
    const seen = { createdAt: START, mark, wasSuspended, running, made };
    const decision = decideSchedule({ ...rules, suspend: this.suspend }, seen, this.now);
    const { fire, skip, replace, next } = decision;
    if (crash === "decided") return;
    if (fire !== undefined) {
      const name = slotName("nightly", fire.slot);
      if (this.made.has(name)) this.faults.push(`${name} is made twice`);
      if (fire.at > this.now && fire.slot !== START) this.faults.push(`${name} is early`);
      this.made.set(name, fire.slot);
      this.running = [...this.running.filter((run) => !replace.includes(run)), name];
    }
    if (next !== undefined && next.at >= (rules.cron.next(next.slot) ?? 0))
      this.faults.push("jitter is too long");
    if (crash === "made") return;
    if (new Set(skip.map(({ reason }) => reason)).size !== skip.length) this.faults.push("a storm of skips");
    this.skips.push(...skip);
    this.mark = decision.mark;
    this.wasSuspended = this.suspend;
  }
}

/** How often each slot up to the mark was decided, where that is not once. */
function wronglyDecided(world: World, cron: Cron): readonly string[] {
  const made = new Set(world.made.values());
  return cron.slotsBetween(START, world.mark?.slot ?? START, 100_000).flatMap((slot) => {
    const skips = world.skips.filter(({ first, last }) => first <= slot && slot <= last);
    // A skip of several slots may lie around one that was made.
    const named = skips.filter(({ first, last }) => first === slot || last === slot);
    const times = made.has(slot) ? 1 + named.length : skips.length;
    return times === 1 ? [] : [`${new Date(slot).toISOString()} is decided ${times} times`];
  });
}

test("every slot is decided exactly once, whatever happens to clocks and operators", () => {
  const rules = fc.record({
    uid: fc.uuid(),
    expression: fc.constantFrom("*/5 * * * *", "H * * * *", "30 2 * * *", "0 1-4 * * *", "H/30 2,3 * * *"),
    jitter: fc.constantFrom(0, 3 * MINUTE, 30 * MINUTE, 5 * HOUR),
    concurrency: fc.constantFrom("Forbid" as const, "Allow" as const, "Replace" as const),
    startingDeadline: fc.constantFrom(undefined, 10 * MINUTE),
    runOnCreate: fc.boolean(),
  });
  let fired = 0;
  let skipped = 0;
  fc.assert(
    fc.property(
      rules,
      fc.array(step, { minLength: 20, maxLength: 150 }),
      ({ expression, ...rest }, steps) => {
        const parsed = parseCron({ expression, zone: "Europe/Berlin", seed: rest.uid });
        if (!parsed.ok) throw new Error(parsed.error);
        const cron = parsed.value;
        const world = new World();
        const look = (crash?: "made" | "decided") => world.look({ ...rest, cron, suspend: false }, crash);
        let time = START;
        let error = 0;
        look();
        for (const happens of steps) {
          if (happens.kind === "wait" || happens.kind === "crash") time += happens.time;
          if (happens.kind === "set the clock") error = happens.to;
          if (happens.kind === "finish") world.running = [];
          if (happens.kind === "suspend") world.suspend = happens.on;
          world.now = time + error;
          look(happens.kind === "crash" ? happens.after : undefined);
        }
        expect(world.faults).toEqual([]);
        expect(wronglyDecided(world, cron)).toEqual([]);
        fired += world.made.size;
        skipped += world.skips.length;
      },
    ),
    { numRuns: 150 },
  );
  expect(fired).toBeGreaterThan(100);
  expect(skipped).toBeGreaterThan(100);
});

test("an operator that wakes when it is told to makes every slot of a day, and none late", () => {
  const parsed = parseCron({ expression: "H/10 * * * *", zone: "Europe/Berlin", seed: "uid" });
  if (!parsed.ok) throw new Error(parsed.error);
  const cron = parsed.value;
  const rules: ScheduleRules = {
    uid: "uid",
    cron,
    jitter: 2 * MINUTE,
    suspend: false,
    runOnCreate: false,
    concurrency: "Allow",
  };
  const made: number[] = [];
  let mark: ScheduleMark | undefined;
  let now = START;
  while (now <= START + 24 * HOUR) {
    const history = { createdAt: START, mark, wasSuspended: false, running: [], made: new Set(made) };
    const decision = decideSchedule(rules, history, now);
    expect(decision.skip).toEqual([]);
    if (decision.fire !== undefined) {
      expect(decision.fire.at).toBe(now);
      made.push(decision.fire.slot);
    }
    mark = decision.mark;
    now = decision.wakeAt ?? Number.POSITIVE_INFINITY;
  }
  expect(made).toHaveLength(144);
  expect(made).toEqual(cron.slotsBetween(START, START + 24 * HOUR, 1000));
});
