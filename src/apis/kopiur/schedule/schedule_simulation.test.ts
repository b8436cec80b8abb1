import fc from "fast-check";
import { expect, test } from "vitest";
import { parseCron } from "../../../core/policy/cron.ts";
import { slotName } from "../../../core/policy/slot_name.ts";
import { SCHEDULE_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupScheduleSpec } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { ignoreGone } from "../../../kube/api_error.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import type { Fate } from "../testing/simulated_operator.ts";
import { ScheduleWorld, scheduleWorld } from "./testing/schedule_world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LONG = process.env.HOLDFAST_LONG !== undefined;

type Step =
  | { readonly kind: "wait" | "set the clocks" | "crash"; readonly ms: number }
  | { readonly kind: "caches stall" | "caches go on" | "another leader" | "delete" }
  | { readonly kind: "finish"; readonly phase: "Succeeded" | "Failed" }
  | { readonly kind: "trouble"; readonly fates: readonly Fate[] };

const span = (min: number, max: number) =>
  fc.integer({ min: min / MINUTE, max: max / MINUTE }).map((n) => n * MINUTE);
const oneOf = (kind: Step["kind"], more: object = {}) =>
  fc.record({ kind: fc.constant(kind), ...more }) as unknown as fc.Arbitrary<Step>;

const step = fc.oneof(
  { weight: 6, arbitrary: oneOf("wait", { ms: span(0, 40 * MINUTE) }) },
  { weight: 1, arbitrary: oneOf("set the clocks", { ms: span(-5 * HOUR, 5 * HOUR) }) },
  { weight: 1, arbitrary: oneOf("caches stall") },
  { weight: 1, arbitrary: oneOf("caches go on") },
  { weight: 2, arbitrary: oneOf("crash", { ms: span(0, 2 * HOUR) }) },
  { weight: 1, arbitrary: oneOf("another leader") },
  { weight: 3, arbitrary: oneOf("finish", { phase: fc.constantFrom("Succeeded", "Failed", "Failed") }) },
  { weight: 2, arbitrary: oneOf("delete") },
  {
    weight: 3,
    arbitrary: oneOf("trouble", {
      fates: fc.array(fc.constantFrom("answered", "lost", "unheard"), { maxLength: 6 }),
    }),
  },
);

async function happen(one: ScheduleWorld, what: Step): Promise<void> {
  switch (what.kind) {
    case "wait":
      return one.clock.advance(what.ms);
    case "set the clocks":
      return one.err(what.ms);
    case "caches stall":
      for (const operator of one.operators) operator.stall();
      return;
    case "caches go on":
      for (const operator of one.operators) operator.goOn();
      return;
    case "crash":
      one.killAll();
      await one.clock.advance(what.ms);
      return one.start();
    case "another leader":
      return one.start();
    case "finish":
      return one.finish(what.phase);
    case "trouble":
      one.fates = [...what.fates];
      return;
    case "delete":
      // What people delete they have seen in the status; before that, nobody could tell it from one never made. The
      // operator may be quicker.
      for (const { metadata } of one.backups()) {
        const slot = metadata.annotations?.[SCHEDULE_ANNOTATIONS.slot] ?? "";
        if (slot <= (one.schedule.status?.decidedUntil ?? "")) {
          await one.delete(backupResource, metadata).catch(ignoreGone);
        }
      }
  }
}

test("a slot is made at most once, and the schedule goes on, whatever happens to operators, clocks, caches and requests", {
  timeout: LONG ? 3_600_000 : 600_000,
}, async () => {
  const rules = fc.record({
    cron: fc.constantFrom("*/20 * * * *", "0 * * * *", "H * * * *", "30 1-5 * * *"),
    jitter: fc.constantFrom(undefined, "10m", "45m"),
    concurrencyPolicy: fc.constantFrom("Forbid", "Allow", "Replace"),
    runOnCreate: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      rules,
      fc.integer({ min: 0, max: 2 }),
      fc.array(step, { maxLength: 25 }),
      async (spec, limit, steps) => {
        const { jitter, ...rest } = spec;
        const one = await scheduleWorld(
          { ...rest, ...(jitter ? { jitter } : {}) } as Partial<BackupScheduleSpec["schedule"]>,
          limit,
        );
        for (const what of steps) await happen(one, what);
        one.heal();
        await one.finish("Succeeded");
        // Clocks were wrong by hours: their slots stay decided until the time has come.
        await one.clock.advance(13 * HOUR);
        await one.finish("Succeeded");
        await one.clock.advance(6 * HOUR);
        one.killAll();

        expect(new Set(one.names).size).toBe(one.names.length);
        const cron = parseCron({ expression: spec.cron, seed: one.schedule.metadata.uid });
        if (!cron.ok) throw new Error(cron.error);
        const due = cron.value.previous(one.clock.now() - HOUR) ?? 0;
        expect(Date.parse(one.schedule.status?.decidedUntil ?? "")).toBeGreaterThanOrEqual(due);
        expect(one.schedule.status?.lastSchedule).toBeDefined();
        expect(one.schedule.status?.backupsCreated).toBe(one.names.length);
      },
    ),
    { numRuns: LONG ? 300 : 20 },
  );
});

test("every slot of a day is made once, at its time, by whichever of two leaders, though they are replaced all the time", {
  timeout: 600_000,
}, async () => {
  const world = new ScheduleWorld();
  await world.addConfig();
  const crons = ["H H * * *", "H */4 * * *", "H/30 * * * *", "0 3 * * *"];
  for (let i = 0; i < 16; i++) {
    const cron = crons[i % crons.length] ?? "";
    await world.add(
      { cron, concurrencyPolicy: "Allow", ...(i % 2 ? { jitter: "20m" } : {}) },
      3,
      `schedule-${i}`,
    );
  }
  const from = world.clock.now();
  for (let minutes = 0; minutes < 26 * 60; minutes += 97) {
    world.killAll();
    world.start();
    world.start();
    await world.clock.advance(97 * MINUTE);
    await world.finish("Succeeded");
  }
  const wanted = world.schedules().flatMap(({ metadata, spec }) => {
    const cron = parseCron({ expression: spec.schedule.cron, seed: metadata.uid });
    if (!cron.ok) throw new Error(cron.error);
    return cron.value.slotsBetween(from, from + 24 * HOUR, 100).map((slot) => slotName(metadata.name, slot));
  });
  const end = new Date(from + 24 * HOUR).toISOString();
  const ofThatDay = world.made.filter(({ slot }) => slot <= end);
  expect(wanted.length).toBeGreaterThan(200);
  expect(ofThatDay.map(({ name }) => name).toSorted()).toEqual(wanted.toSorted());
  expect(ofThatDay.filter(({ at, due }) => at !== Date.parse(due ?? ""))).toEqual([]);
});

test.each(["Forbid", "Allow", "Replace"] as const)(
  "twenty slots while the API server is away are one Backup, one event and one count a schedule, with %s",
  async (concurrencyPolicy) => {
    const world = new ScheduleWorld();
    await world.addConfig();
    for (const name of ["one", "two"]) await world.add({ cron: "* * * * *", concurrencyPolicy }, 3, name);
    world.start();
    await world.clock.advance(MINUTE + 1_000);
    await world.finish("Succeeded");
    const [operator] = world.operators;
    const before = world.made.length;
    expect(before).toBe(2);

    world.away = true;
    operator?.stall();
    const events = operator?.events.length ?? 0;
    await world.clock.advance(10 * MINUTE);
    expect(world.made).toHaveLength(before);
    expect(operator?.events).toHaveLength(events);

    world.heal();
    await world.clock.advance(30_000);
    const made = world.made.slice(before);
    const newest = timestamp(Math.floor(world.clock.now() / MINUTE) * MINUTE);
    expect(made.map(({ slot }) => slot)).toEqual([newest, newest]);
    const told = operator?.events.slice(events).map(({ reason }) => reason);
    expect(told?.toSorted()).toEqual(["BackupCreated", "BackupCreated", "BackupSkipped", "BackupSkipped"]);
    for (const { status } of world.schedules()) {
      expect(status?.lastSkippedSchedule).toMatchObject({ reason: "Missed", count: 9 });
      expect(status).toMatchObject({ phase: "Active", decidedUntil: newest });
    }
    world.killAll();
  },
);
