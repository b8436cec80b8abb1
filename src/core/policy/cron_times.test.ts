import fc from "fast-check";
import { expect, test } from "vitest";
import { CronTimes } from "./cron_times.ts";

test("all() is every minute of every hour, in order", () => {
  expect(new CronTimes("30,0", "14,2").all()).toEqual([120, 150, 840, 870]);
  expect(new CronTimes("*", "*").all()).toHaveLength(1440);
  expect(new CronTimes("5-59/20", "22-23").all()).toEqual([1325, 1345, 1365, 1385, 1405, 1425]);
});

test.each([
  ["30", "2", true],
  ["0,30", "1-4", true],
  ["*", "2", false],
  ["0", "0-23/6", false],
])("%s %s are named times of day: %s", (minute, hour, named) => {
  expect(new CronTimes(minute, hour).areNamed).toBe(named);
});

test("after() and before() are the neighbours in all(), also from outside of the day", () => {
  const field = fc.constantFrom("*", "0", "5,7", "1-20/3", "0,23");
  fc.assert(
    fc.property(field, field, fc.integer({ min: -2000, max: 4000 }), (minute, hour, at) => {
      const times = new CronTimes(minute, hour);
      expect(times.after(at)).toBe(times.all().find((time) => time > at));
      expect(times.before(at)).toBe(times.all().findLast((time) => time < at));
    }),
  );
});
