import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Cron, parseCron } from "./cron.ts";

const cron = (expression: string, zone?: string, seed = "seed"): Cron => {
  const parsed = parseCron({ expression, zone, seed });
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
};
const at = (text: string) => Date.parse(text);
const iso = (instants: readonly (number | undefined)[]) =>
  instants.map((instant) => instant && new Date(instant).toISOString().replace(":00.000Z", "Z"));

describe("parseCron()", () => {
  test.each([
    ["0 2 * * *", "2026-05-24T02:00Z"],
    ["  30   3 * *  * ", "2026-05-24T03:30Z"],
    ["*/15 * * * *", "2026-05-24T00:15Z"],
    ["5/20 * * * *", "2026-05-24T00:05Z"],
    ["0 0 1 * MON", "2026-05-25T00:00Z"],
    ["0 0 L * *", "2026-05-31T00:00Z"],
    ["0 0 * * 5#1", "2026-06-05T00:00Z"],
    ["0 0 29 2 *", "2028-02-29T00:00Z"],
    ["0 0 ? * 7", "2026-05-31T00:00Z"],
    ["@hourly", "2026-05-24T01:00Z"],
    ["@daily", "2026-05-25T00:00Z"],
    ["@midnight", "2026-05-25T00:00Z"],
    ["@weekly", "2026-05-31T00:00Z"],
    ["@monthly", "2026-06-01T00:00Z"],
    ["@Yearly", "2027-01-01T00:00Z"],
    ["@annually", "2027-01-01T00:00Z"],
  ])("%j fires next at %s", (expression, next) => {
    expect(iso([cron(expression).next(at("2026-05-24T00:00:00Z"))])).toEqual([next]);
  });

  test.each([
    ["", /"" cannot be used: it has 0 fields; write the five fields minute, hour/],
    ["0 2 * *", /it has 4 fields/],
    ["0 0 2 * * *", /it has 6 fields; write the five fields .* such as "H 2 \* \* \*"$/],
    ["61 2 * * *", /"61 2 \* \* \*" cannot be used: minute "61" is outside of 0-59; write/],
    ["0 0 30 2 *", /no month has such a day, so that it would never fire; choose a day/],
    ["0 0 31 4,6,9,11 *", /never fire/],
    ["TZ=Europe/Berlin 0 2 * * *", /a zone is not part of it; name the zone in the field for it/],
    ["CRON_TZ=UTC 0 2 * * *", /a zone is not part of it/],
    [
      "@every 1h",
      /"@every 1h" is not tied to the time of day or not known; write @yearly, .* "H\/30 \* \* \* \*"/,
    ],
    ["@reboot", /"@reboot" is not tied/],
    ["2026-05-24T00:00:00", /it has 1 fields/],
  ])("%j is refused", (expression, problem) => {
    expect(parseCron({ expression, seed: "" })).toEqual({ ok: false, error: expect.stringMatching(problem) });
  });

  test("an unknown zone is refused", () => {
    const parsed = parseCron({ expression: "@daily", zone: "Mars/Base", seed: "" });
    expect(parsed).toEqual({ ok: false, error: expect.stringContaining('"Mars/Base" is not known') });
  });

  test("never throws, whatever is written", () => {
    const word = fc.stringMatching(/^[-*?,/()#HLW0-9a-z]{1,8}$/);
    const expression = fc.oneof(fc.string(), fc.array(word, { minLength: 5, maxLength: 5 }));
    fc.assert(
      fc.property(expression, (text) => {
        const parsed = parseCron({ expression: Array.isArray(text) ? text.join(" ") : text, seed: "s" });
        expect(typeof (parsed.ok ? parsed.value.next(0) : parsed.error)).not.toBe("undefined");
      }),
    );
  });
});

describe("H", () => {
  test("is the same for the same seed, and differs between fields and seeds", () => {
    expect(cron("H H H * *").text).toBe(cron("H H H * *").text);
    const texts = new Set(Array.from({ length: 50 }, (_, i) => cron("H H * * *", "UTC", `uid-${i}`).text));
    expect(texts.size).toBeGreaterThan(40);
  });

  test("spreads schedules over the whole hour", () => {
    const perMinute = Array(60).fill(0);
    for (let i = 0; i < 6000; i++) {
      const slot = cron("H * * * *", "UTC", `uid-${i}`).next(0) ?? 0;
      perMinute[(slot / 60_000) % 60] += 1;
    }
    expect(Math.min(...perMinute)).toBeGreaterThan(50);
    expect(Math.max(...perMinute)).toBeLessThan(160);
  });

  test("H/15 fires four times an hour, 15 minutes apart", () => {
    const slots = cron("H/15 * * * *").slotsBetween(0, 4 * 3_600_000, 100);
    expect(slots).toHaveLength(16);
    expect(new Set(slots.slice(1).map((slot, i) => slot - (slots[i] ?? 0)))).toEqual(new Set([900_000]));
  });
});

describe("where clocks change", () => {
  const around = (expression: string, zone: string, from: string, count: number) =>
    iso(cron(expression, zone).slotsBetween(at(from), Number.POSITIVE_INFINITY, count));

  test("a time of day that is left out fires when the clocks have changed", () => {
    expect(around("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00Z", 3)).toEqual([
      "2026-03-28T01:30Z",
      "2026-03-29T01:00Z",
      "2026-03-30T00:30Z",
    ]);
  });

  test("also when it is midnight", () => {
    expect(around("@daily", "Africa/Cairo", "2026-04-22T22:00Z", 2)).toEqual([
      "2026-04-23T22:00Z",
      "2026-04-24T21:00Z",
    ]);
  });

  test("a minute before they change, where afterwards it is another day", () => {
    expect(around("30 23 * * *", "America/Nuuk", "2026-03-27T12:00Z", 3)).toEqual([
      "2026-03-28T01:30Z",
      "2026-03-29T00:59Z",
      "2026-03-30T00:30Z",
    ]);
  });

  test("a time of day that comes twice fires the first time", () => {
    expect(around("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", 2)).toEqual([
      "2026-10-25T00:30Z",
      "2026-10-26T01:30Z",
    ]);
  });

  test("several times of day that are left out fire once", () => {
    expect(around("0,30 2,14 * * *", "Europe/Berlin", "2026-03-28T20:00Z", 3)).toEqual([
      "2026-03-29T01:00Z",
      "2026-03-29T12:00Z",
      "2026-03-29T12:30Z",
    ]);
  });

  test("an interval goes on through the hour that comes twice, and leaves out what is left out", () => {
    expect(around("*/30 * * * *", "Europe/Berlin", "2026-10-24T23:45Z", 5)).toEqual([
      "2026-10-25T00:00Z",
      "2026-10-25T00:30Z",
      "2026-10-25T01:00Z",
      "2026-10-25T01:30Z",
      "2026-10-25T02:00Z",
    ]);
    expect(around("*/30 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", 1)).toEqual(["2026-03-30T00:00Z"]);
  });

  test("a day that the zone left out has no slot", () => {
    expect(around("0 12 * * *", "Pacific/Apia", "2011-12-29T00:00Z", 2)).toEqual([
      "2011-12-29T22:00Z",
      "2011-12-30T22:00Z",
    ]);
  });
});

describe("Cron", () => {
  test("next() and previous() are strict, to the millisecond", () => {
    const daily = cron("0 2 * * *");
    const slot = at("2026-05-24T02:00Z");
    expect(daily.next(slot - 1)).toBe(slot);
    expect(daily.next(slot)).toBe(at("2026-05-25T02:00Z"));
    expect(daily.previous(slot)).toBe(at("2026-05-23T02:00Z"));
    expect(daily.previous(slot + 1)).toBe(slot);
    const often = cron("*/5 * * * *", "Europe/Berlin");
    expect(often.previous(slot + 1)).toBe(slot);
    expect(often.previous(slot)).toBe(slot - 300_000);
  });

  test("slotsBetween() is open at its start, closed at its end, and bounded", () => {
    const hourly = cron("@hourly");
    const hours = (n: number) => n * 3_600_000;
    expect(hourly.slotsBetween(0, hours(3), 10)).toEqual([hours(1), hours(2), hours(3)]);
    expect(hourly.slotsBetween(0, hours(1000), 2)).toEqual([hours(1), hours(2)]);
    expect(hourly.slotsBetween(hours(3), hours(3), 10)).toEqual([]);
  });

  test("what it remembers does not change its answers", () => {
    const instant = fc.integer({ min: at("2024-01-01"), max: at("2030-12-31") });
    const expression = fc.constantFrom("30 2 * * *", "*/20 1-3 * * *", "0 0 L * *");
    fc.assert(
      fc.property(expression, fc.array(instant, { maxLength: 12 }), (text, instants) => {
        const one = cron(text, "Europe/Berlin");
        for (const moment of instants.flatMap((i) => [i, i + 1, i + 3_600_000])) {
          expect(one.next(moment)).toBe(cron(text, "Europe/Berlin").next(moment));
        }
      }),
      { numRuns: 30 },
    );
  });
});

test("what is no time is refused rather than followed without end", () => {
  const daily = cron("0 0 * * *", "UTC");
  for (const at of [Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => daily.next(at)).toThrow("is no time");
    expect(() => daily.previous(at)).toThrow("is no time");
  }
});
