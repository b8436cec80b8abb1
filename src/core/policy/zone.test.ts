import { describe, expect, test } from "vitest";
import { parseZone, UTC } from "./zone.ts";

const zone = (name: string) => {
  const parsed = parseZone(name);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
};
const wall = (text: string) => Date.parse(`${text}Z`);
const iso = (instants: readonly number[]) => instants.map((instant) => new Date(instant).toISOString());

describe("parseZone()", () => {
  test.each(["UTC", "Europe/Berlin", "europe/berlin", "Etc/GMT+5", "America/Argentina/Buenos_Aires"])(
    "knows %s",
    (name) => expect(parseZone(name)).toMatchObject({ ok: true }),
  );

  test("gives one zone for one name", () => {
    expect(zone("Europe/Berlin")).toBe(zone("Europe/Berlin"));
    expect(zone("EUROPE/BERLIN").name).toBe("Europe/Berlin");
  });

  test.each(["", "Local", "Berlin", "+02:00", "Europe/Berlin ", "../etc/passwd"])("refuses %j", (name) => {
    expect(parseZone(name)).toEqual({
      ok: false,
      error: `the time zone ${JSON.stringify(name)} is not known: it has to be a name of the IANA database; write one such as "UTC", "Europe/Berlin" or "America/New_York"`,
    });
  });
});

describe("Zone", () => {
  test("says what the clocks show, with fractions of a second and before 1970", () => {
    expect(zone("Europe/Berlin").wallAt(wall("2026-07-01T12:00:00.250"))).toBe(
      wall("2026-07-01T14:00:00.250"),
    );
    expect(zone("Asia/Kolkata").wallAt(-1)).toBe(wall("1970-01-01T05:29:59.999"));
    expect(UTC.wallAt(12_345)).toBe(12_345);
  });

  test("says when the clocks show a time: once, never, twice", () => {
    const berlin = zone("Europe/Berlin");
    expect(iso(berlin.instantsAt(wall("2026-03-29T01:59:59")))).toEqual(["2026-03-29T00:59:59.000Z"]);
    expect(iso(berlin.instantsAt(wall("2026-03-29T02:30")))).toEqual([]);
    expect(iso(berlin.instantsAt(wall("2026-10-25T02:30")))).toEqual([
      "2026-10-25T00:30:00.000Z",
      "2026-10-25T01:30:00.000Z",
    ]);
  });

  test("says which days have one offset", () => {
    const berlin = zone("Europe/Berlin");
    const day = (date: string) => Date.parse(date) / 86_400_000;
    expect(berlin.steadyOffset(day("2026-03-27"))).toBe(3_600_000);
    expect(berlin.steadyOffset(day("2026-03-29"))).toBeUndefined();
    expect(berlin.steadyOffset(day("2026-03-29"))).toBeUndefined();
    expect(berlin.steadyOffset(day("2026-03-31"))).toBe(7_200_000);
    expect(UTC.steadyOffset(day("2026-03-29"))).toBe(0);
  });

  test("says when they change", () => {
    const berlin = zone("Europe/Berlin");
    expect(berlin.changeNear(wall("2026-03-29T02:30"))).toBe(wall("2026-03-29T01:00"));
    expect(berlin.changeNear(wall("2026-06-01T02:30"))).toBeUndefined();
    expect(UTC.changeNear(wall("2026-03-29T02:30"))).toBeUndefined();
  });
});
