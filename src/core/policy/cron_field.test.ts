import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CRON_FIELDS, type CronField, expandField } from "./cron_field.ts";

const fieldNamed = (name: string): CronField => {
  const field = CRON_FIELDS.find((field) => field.name === name);
  if (field === undefined) throw new Error(`there is no field ${name}`);
  return field;
};

describe("expandField()", () => {
  test.each([
    ["minute", "*", "*"],
    ["minute", "*/15", "0-59/15"],
    ["minute", "5/15", "5-59/15"],
    ["minute", "0,30", "0,30"],
    ["minute", "10-20", "10-20"],
    ["minute", "10-20/5", "10-20/5"],
    ["minute", "H", "50"],
    ["minute", "h", "50"],
    ["minute", "H/15", "5-59/15"],
    ["minute", "H(0-29)", "20"],
    ["minute", "H(30-59)", "50"],
    ["minute", "H(0-29)/10", "0-29/10"],
    ["minute", "H(40-49)/10", "40"],
    ["hour", "H", "14"],
    ["hour", "*/24", "0"],
    ["day of the month", "H", "27"],
    ["day of the month", "L", "L"],
    ["day of the month", "15w", "15W"],
    ["day of the month", "?", "*"],
    ["month", "JAN,jul", "1,7"],
    ["month", "H", "3"],
    ["day of the week", "7", "0"],
    ["day of the week", "mon-fri", "1-5"],
    ["day of the week", "sat-sun", "6-7"],
    ["day of the week", "sun-sun", "0"],
    ["day of the week", "sun-tue", "0-2"],
    ["day of the week", "fri#2", "5#2"],
    ["day of the week", "5l", "5L"],
  ])("%s %j is %j", (name, text, expanded) => {
    expect(expandField(fieldNamed(name), text, 110)).toEqual({ ok: true, value: expanded });
  });

  test.each([
    [
      "minute",
      "60",
      'minute "60" is outside of 0-59; write a number from 0 to 59, a range such as 1-3, */2, or H',
    ],
    ["minute", "1-70", 'minute "70" in "1-70" is outside of 0-59; write a number'],
    ["minute", "", 'minute "" is no value, range or step; write a number'],
    ["minute", "1*", 'minute "1*" is no value'],
    ["minute", "-5", 'minute "-5" is no value'],
    ["minute", "five", 'minute "five" is outside of 0-59'],
    ["minute", "*/0", 'the step in "*/0" of the minute has to be from 1 to 60'],
    ["minute", "*/90", "because steps begin anew with each round; write a smaller one, or fewer of the next"],
    ["minute", "H(0-9)/30", 'the step in "H(0-9)/30" of the minute has to be from 1 to 10'],
    ["minute", "H(9-0)", 'the range "H(9-0)" of the minute ends before it begins; write it as two ranges'],
    ["minute", "H(0-60)", 'minute "60" in "H(0-60)" is outside of 0-59'],
    ["hour", "22-2", 'the range "22-2" of the hour ends before it begins'],
    ["day of the month", "0", 'day of the month "0" is outside of 1-31'],
    ["day of the month", "32W", "is outside of 1-31"],
    ["month", "foo", 'month "foo" is outside of 1-12; write a number from 1 to 12, a name such as FEB'],
    [
      "day of the week",
      "8",
      'day of the week "8" is outside of 0-6; write a number from 0 to 6, a name such as MON',
    ],
    ["day of the week", "xyz#2", 'day of the week "xyz" in "xyz#2"'],
  ])("%s %j is refused", (name, text, problem) => {
    expect(expandField(fieldNamed(name), text, 110)).toEqual({
      ok: false,
      error: expect.stringContaining(problem),
    });
  });

  test("H is always a value of its field, on a day that every month has", () => {
    fc.assert(
      fc.property(fc.constantFrom(...CRON_FIELDS), fc.nat(), (field, hash) => {
        const expanded = expandField(field, "H", hash);
        const value = Number(expanded.ok && expanded.value);
        expect(value).toBeGreaterThanOrEqual(field.low);
        expect(value).toBeLessThanOrEqual(field.name === "day of the month" ? 28 : field.high);
      }),
    );
  });
});
