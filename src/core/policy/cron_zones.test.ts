import { describe, expect, test } from "vitest";
import { parseCron } from "./cron.ts";
import { Zone } from "./zone.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const FROM = Date.UTC(2024, 0, 1);
const TO = Date.UTC(2031, 0, 1);

interface Change {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** All changes of the clocks, found without the code under test: by looking every week, and then closer. */
function changesOf(zone: Zone): readonly Change[] {
  const changes: Change[] = [];
  let after = zone.offsetAt(FROM);
  for (let week = FROM; week < TO; week += 7 * DAY) {
    const before = after;
    after = zone.offsetAt(week + 7 * DAY);
    if (before === after) continue;
    let [low, high] = [week, week + 7 * DAY];
    while (high - low > MINUTE) {
      const middle = Math.floor((low + high) / 2 / MINUTE) * MINUTE;
      if (zone.offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    changes.push({ at: high, before, after });
  }
  return changes;
}

/** One zone of each kind: most share their clocks with others. */
const zones = new Map(
  Intl.supportedValuesOf("timeZone").map((name) => {
    const zone = new Zone(name);
    const changes = changesOf(zone);
    return [JSON.stringify(changes), { zone, changes }] as const;
  }),
);
const changing = [...zones.values()].filter(({ changes }) => changes.length > 0);

const dayOf = (zone: Zone, instant: number) => Math.floor(zone.wallAt(instant) / DAY);
const cronOf = (expression: string, zone: Zone) => {
  const parsed = parseCron({ expression, zone: zone.name, seed: "" });
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
};

test("there are zones whose clocks change", () => {
  expect(changing.length).toBeGreaterThan(25);
  expect(changing.flatMap(({ changes }) => changes).length).toBeGreaterThan(300);
});

/** Times of day at, in and beside what is left out or comes twice. */
function delicateTimes({ at, before, after }: Change): ReadonlySet<number> {
  const low = at + Math.min(before, after);
  const high = at + Math.max(before, after);
  const walls = [low - MINUTE, low, (low + high) / 2, high - MINUTE, high];
  return new Set(walls.map((wall) => Math.floor((((wall % DAY) + DAY) % DAY) / MINUTE)));
}

describe.each(changing.map(({ zone, changes }) => [zone.name, zone, changes] as const))(
  "%s",
  (_, zone, changes) => {
    test("a daily schedule fires exactly once on every local day, in order, forth and back", () => {
      for (const change of changes) {
        for (const minutes of delicateTimes(change)) {
          const cron = cronOf(`${minutes % 60} ${Math.floor(minutes / 60)} * * *`, zone);
          const slots = cron.slotsBetween(change.at - 2.5 * DAY, change.at + 2.5 * DAY, 100);
          const days = slots.map((slot) => dayOf(zone, slot));
          const label = `${cron.text} ${new Date(change.at).toISOString()}`;
          expect(days, label).toEqual(days.map((_, i) => (days[0] ?? 0) + i));
          expect(slots.length, label).toBeGreaterThanOrEqual(4);
          const backwards = slots.map((slot) => cron.previous(slot + 1));
          expect(backwards, label).toEqual(slots);
          expect(
            slots.slice(1).map((slot) => cron.previous(slot)),
            label,
          ).toEqual(slots.slice(0, -1));
        }
      }
    });

    test("an interval fires at every instant whose wall time matches, and at no other", () => {
      const cron = cronOf("*/30 0-4,22,23 * * *", zone);
      for (const { at } of changes.slice(0, 4)) {
        const matching: number[] = [];
        for (let instant = at - 8 * HOUR + MINUTE; instant <= at + 8 * HOUR; instant += MINUTE) {
          const wall = new Date(zone.wallAt(instant));
          const hour = wall.getUTCHours();
          if (wall.getUTCMinutes() % 30 === 0 && (hour <= 4 || hour >= 22)) matching.push(instant);
        }
        const label = `${zone.name} ${new Date(at).toISOString()}`;
        expect(cron.slotsBetween(at - 8 * HOUR, at + 8 * HOUR, 1000), label).toEqual(matching);
        expect(
          matching.map((slot) => cron.previous(slot + 1)),
          label,
        ).toEqual(matching);
      }
    });
  },
);
