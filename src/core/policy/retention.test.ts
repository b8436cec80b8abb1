import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planRetention, type RetainedSnapshot, type RetentionRequest } from "./retention.ts";
import { keepsSome, RETENTION_RULES, type RetentionRules } from "./retention_rules.ts";
import { parseZone, UTC, Zone } from "./zone.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 4, 24, 12);

const snapshot = (
  id: string,
  at: string | number,
  more: Partial<RetainedSnapshot> = {},
): RetainedSnapshot => ({
  id,
  at: typeof at === "number" ? at : Date.parse(at),
  origin: "scheduled",
  succeeded: true,
  ...more,
});
const keptBy = (request: Omit<RetentionRequest, "now">) =>
  Object.fromEntries(
    planRetention({ now: NOW, ...request }).map((verdict) => [verdict.id, verdict.kept && verdict.by.join()]),
  );
const kept = (request: RetentionRequest) =>
  new Set(planRetention(request).flatMap(({ id, kept }) => (kept ? [id] : [])));

describe("planRetention()", () => {
  const week = Array.from({ length: 20 }, (_, i) => snapshot(`d${i}`, NOW - i * DAY));

  test("keeps the latest of each day, week, month and year, and says by which rule", () => {
    expect(
      keptBy({
        rules: { keepLatest: 1, keepDaily: 2, keepWeekly: 2, keepMonthly: 2, keepAnnual: 2 },
        snapshots: [
          snapshot("noon", "2026-05-24T12:00Z"),
          snapshot("morning", "2026-05-24T02:00Z"),
          snapshot("yesterday", "2026-05-23T02:00Z"),
          snapshot("last-week", "2026-05-17T02:00Z"),
          snapshot("april", "2026-04-30T02:00Z"),
          snapshot("december", "2025-12-31T02:00Z"),
        ],
      }),
    ).toEqual({
      noon: "keepLatest,keepDaily,keepWeekly,keepMonthly,keepAnnual,newest",
      morning: false,
      yesterday: "keepDaily",
      "last-week": "keepWeekly",
      april: "keepMonthly",
      december: "keepAnnual",
    });
  });

  test("says why one goes, rule by rule", () => {
    const snapshots = [snapshot("c", NOW), snapshot("b", NOW - HOUR), snapshot("a", NOW - DAY)];
    expect(planRetention({ snapshots, rules: { keepLatest: 1, keepDaily: 1 }, now: NOW })).toEqual([
      { id: "c", kept: true, by: ["keepLatest", "keepDaily", "newest"] },
      {
        id: "b",
        kept: false,
        why: "keepLatest keeps no more than 1; keepDaily has a later one of 2026-05-24",
      },
      { id: "a", kept: false, why: "keepLatest keeps no more than 1; keepDaily keeps no more than 1" },
    ]);
  });

  test("times without snapshots use nothing up", () => {
    const snapshots = [0, 1, 300, 301].map((days) => snapshot(`d${days}`, NOW - days * DAY));
    expect([...kept({ snapshots, rules: { keepDaily: 4 }, now: NOW })]).toHaveLength(4);
  });

  test("weeks are ISO weeks: they begin on Monday, and the first holds the year's first Thursday", () => {
    expect(
      keptBy({
        rules: { keepWeekly: 9 },
        snapshots: [
          snapshot("mon", "2026-01-05T00:00Z"),
          snapshot("sun", "2026-01-04T23:59Z"),
          snapshot("new-year", "2026-01-01T00:00Z"),
          snapshot("monday-before", "2025-12-29T00:00Z"),
          snapshot("sunday-before", "2025-12-28T23:59Z"),
        ],
      }),
    ).toEqual({
      mon: "keepWeekly,newest",
      sun: "keepWeekly",
      "new-year": false,
      "monday-before": false,
      "sunday-before": "keepWeekly",
    });
  });

  test("days are those of the zone", () => {
    const snapshots = [snapshot("b", "2026-05-23T23:00Z"), snapshot("a", "2026-05-23T21:00Z")];
    const rules = { keepDaily: 5 };
    expect(keptBy({ snapshots, rules })).toEqual({ b: "keepDaily,newest", a: false });
    const zone = new Zone("Europe/Berlin");
    expect(keptBy({ snapshots, rules, zone })).toEqual({ b: "keepDaily,newest", a: "keepDaily" });
  });

  test("an hour that comes twice is one hour", () => {
    const snapshots = [snapshot("second", "2025-10-26T01:30Z"), snapshot("first", "2025-10-26T00:30Z")];
    const zone = new Zone("Europe/Berlin");
    expect(keptBy({ snapshots, rules: { keepHourly: 5 }, zone })).toEqual({
      second: "keepHourly,newest",
      first: false,
    });
  });

  test.each([
    ["manual", { origin: "manual" }],
    ["discovered", { origin: "discovered" }],
    ["failed", { succeeded: false }],
  ] as const)("what is %s stays, and takes no place", (why, more) => {
    const snapshots = [snapshot("apart", NOW, more), snapshot("b", NOW - HOUR), snapshot("a", NOW - DAY)];
    expect(keptBy({ snapshots, rules: { keepLatest: 1 } })).toEqual({
      apart: why,
      b: "keepLatest,newest",
      a: false,
    });
  });

  test("what is from the future stays, and is not the newest", () => {
    const snapshots = [snapshot("tomorrow", NOW + DAY), snapshot("b", NOW), snapshot("a", NOW - 1)];
    expect(keptBy({ snapshots, rules: { keepLatest: 1 } })).toEqual({
      tomorrow: "future",
      b: "keepLatest,newest",
      a: false,
    });
  });

  test("what is held stays beyond the rules, and takes its place within them", () => {
    const snapshots = [
      snapshot("c", NOW),
      snapshot("b", NOW - DAY, { held: true }),
      snapshot("a", NOW - 2 * DAY),
      snapshot("old", NOW - 9 * DAY, { held: true }),
    ];
    expect(keptBy({ snapshots, rules: { keepDaily: 2 } })).toEqual({
      c: "keepDaily,newest",
      b: "keepDaily,held",
      a: false,
      old: "held",
    });
  });

  test("without retention, and with one that keeps nothing, nothing is pruned", () => {
    for (const rules of [undefined, {}, { keepLatest: 0, keepDaily: 0 }, { keepDaily: -1 }]) {
      const verdicts = planRetention({ snapshots: week, rules, now: NOW });
      expect(verdicts).toHaveLength(20);
      expect(verdicts.every((verdict) => verdict.kept && verdict.by.join() === "noRetention")).toBe(true);
    }
  });

  test("nothing in, nothing out", () => {
    expect(planRetention({ snapshots: [], rules: { keepLatest: 1 }, now: NOW })).toEqual([]);
  });
});

describe("for any snapshots and rules", () => {
  const at = fc.integer({ min: NOW - 900 * DAY, max: NOW });
  const flags = fc.record({
    at: fc.oneof(
      at,
      at.map((time) => NOW - ((NOW - time) % (20 * DAY))),
    ),
    origin: fc.constantFrom("scheduled", "scheduled", "scheduled", "manual", "discovered"),
    succeeded: fc.constantFrom(true, true, true, false),
    held: fc.constantFrom(false, false, false, true),
  });
  const snapshots = fc
    .array(flags as fc.Arbitrary<Omit<RetainedSnapshot, "id">>, { maxLength: 60 })
    .map((list) => list.map((fields, i) => ({ id: `s${i}`, ...fields })));
  const rules: fc.Arbitrary<RetentionRules> = fc.record(
    Object.fromEntries(RETENTION_RULES.map((rule) => [rule, fc.nat(6)])),
    { requiredKeys: [] },
  );
  const zone = fc.constantFrom("UTC", "Europe/Berlin", "Pacific/Auckland", "America/Nuuk").map((name) => {
    const parsed = parseZone(name);
    return parsed.ok ? parsed.value : UTC;
  });
  const request = fc.record({ snapshots, rules, zone, now: fc.constant(NOW) });
  const scheduled = (list: readonly RetainedSnapshot[]) =>
    list.filter(({ origin, succeeded }) => origin === "scheduled" && succeeded);

  test("the newest success is never dropped", () => {
    fc.assert(
      fc.property(request, (asked) => {
        const newest = Math.max(...scheduled(asked.snapshots).map(({ at }) => at));
        const stays = kept(asked);
        const ofThatTime = asked.snapshots.filter(({ at }) => at === newest);
        expect(ofThatTime.length === 0 || ofThatTime.some(({ id }) => stays.has(id))).toBe(true);
      }),
    );
  });

  test("what is kept stays kept when older ones are added", () => {
    fc.assert(
      fc.property(request, snapshots, (asked, more) => {
        const oldest = Math.min(NOW, ...asked.snapshots.map(({ at }) => at));
        const older = more.map((one) => ({ ...one, id: `older-${one.id}`, at: oldest - 1 - (NOW - one.at) }));
        const before = kept(asked);
        const after = kept({ ...asked, snapshots: [...asked.snapshots, ...older] });
        expect([...before].filter((id) => !after.has(id))).toEqual([]);
      }),
    );
  });

  test("what is dropped stays dropped when newer ones are added, so that waiting brings nothing back", () => {
    fc.assert(
      fc.property(request, fc.array(fc.nat(50 * DAY), { maxLength: 20 }), (asked, newer) => {
        const later = newer.map((after, i) => snapshot(`newer-${i}`, NOW + 1 + after));
        const now = NOW + 60 * DAY;
        const dropped = planRetention(asked).filter(({ kept }) => !kept);
        const stays = kept({ ...asked, now, snapshots: [...asked.snapshots, ...later] });
        expect(dropped.filter(({ id }) => stays.has(id))).toEqual([]);
      }),
    );
  });

  test("doing it twice changes nothing: what stays, stays by the same rules", () => {
    fc.assert(
      fc.property(request, (asked) => {
        const stays = kept(asked);
        const left = asked.snapshots.filter(({ id }) => stays.has(id));
        expect(kept({ ...asked, snapshots: left })).toEqual(stays);
      }),
    );
  });

  test("manual, discovered, failed and held ones stay, and the order of the list means nothing", () => {
    fc.assert(
      fc.property(request, (asked) => {
        const stays = kept(asked);
        for (const one of asked.snapshots) {
          if (one.held || one.origin !== "scheduled" || !one.succeeded) expect(stays.has(one.id)).toBe(true);
        }
        expect(kept({ ...asked, snapshots: asked.snapshots.toReversed() })).toEqual(stays);
      }),
    );
  });

  test("no rule keeps more than its number, and none less while there is something to keep", () => {
    fc.assert(
      fc.property(request, (asked) => {
        const verdicts = planRetention(asked);
        for (const rule of RETENTION_RULES) {
          const count = verdicts.filter((verdict) => verdict.kept && verdict.by.includes(rule)).length;
          expect(count).toBeLessThanOrEqual(asked.rules[rule] ?? 0);
        }
        const latest = Math.min(asked.rules.keepLatest ?? 0, scheduled(asked.snapshots).length);
        const byLatest = verdicts.filter((verdict) => verdict.kept && verdict.by.includes("keepLatest"));
        expect(byLatest).toHaveLength(keepsSome(asked.rules) ? latest : 0);
      }),
    );
  });
});
