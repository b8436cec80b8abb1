import { Cron as Croner } from "croner";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CronSlots } from "./cron_slots.ts";
import { Zone } from "./zone.ts";

/** Days on which clocks change are drawn as often as others. */
const instant = fc.oneof(
  fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2030, 0) }),
  fc
    .tuple(fc.constantFrom(Date.UTC(2026, 2, 29), Date.UTC(2026, 9, 25)), fc.integer({ min: -30, max: 30 }))
    .map(([day, halfHours]) => day + halfHours * 1_800_000),
);
const date = fc.constantFrom("* * *", "1 * *", "* 2-4 *", "* * 1-5", "13 * 5", "L * *", "29 2 *", "* * 5#2");
const interval = fc.constantFrom("*", "0-59/15", "7-59/20");
const named = fc.constantFrom("0", "30", "59");
const hour = fc.constantFrom("*", "2", "0-23/5", "1,2,3", "23");

const theirs = (expression: string, zone: string) =>
  new Croner(expression, { mode: "5-part", timezone: zone });

test("slots are those of croner where both see the same clocks: in UTC", () => {
  fc.assert(
    fc.property(fc.oneof(interval, named), hour, date, instant, (minute, hours, days, at) => {
      const expression = `${minute} ${hours} ${days}`;
      const slots = new CronSlots(expression, new Zone("UTC"));
      expect(slots.next(at)).toBe(theirs(expression, "UTC").nextRun(new Date(at))?.getTime());
      const whole = Math.floor(at / 1000) * 1000;
      const [previous] = theirs(expression, "UTC").previousRuns(1, new Date(whole));
      expect(slots.previous(whole)).toBe(previous?.getTime());
    }),
    { numRuns: 200 },
  );
});

test("and where both have the same rules: intervals, and single times of day whose day goes on", () => {
  const times = fc.oneof(
    fc.tuple(interval, hour).map((fields) => fields.join(" ")),
    fc.tuple(named, fc.constantFrom("1", "2", "3")).map((fields) => fields.join(" ")),
  );
  fc.assert(
    fc.property(times, date, instant, (time, days, at) => {
      const expression = `${time} ${days}`;
      const slots = new CronSlots(expression, new Zone("Europe/Berlin"));
      expect(slots.next(at)).toBe(theirs(expression, "Europe/Berlin").nextRun(new Date(at))?.getTime());
    }),
    { numRuns: 200 },
  );
});
