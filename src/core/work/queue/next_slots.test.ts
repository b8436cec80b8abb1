import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextSlots, type SeatsQuestion, type Waiter } from "./next_slots.ts";
import { RANKS } from "./place.ts";

const NOW = Date.parse("2026-05-24T00:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const waiter = (id: string, more: Partial<Waiter> = {}): Waiter => ({
  id,
  rank: RANKS.backup,
  tenant: "shop/data",
  since: NOW,
  ...more,
});
const next = (waiting: readonly Waiter[], more: Partial<SeatsQuestion> = {}) =>
  nextSlots({ waiting, seated: [], seats: 4, now: NOW, ...more }).map(({ id }) => id);

describe("nextSeats()", () => {
  test("gives no more seats than there are", () => {
    const waiting = ["a", "b", "c"].map((id) => waiter(id));
    expect(next(waiting, { seats: 2 })).toEqual(["a", "b"]);
    expect(next(waiting, { seats: 2, seated: [{ tenant: "shop/data" }] })).toEqual(["a"]);
    expect(next(waiting, { seats: 2, seated: [{}, {}, {}] })).toEqual([]);
  });

  test("lets the one go first that waits longest", () => {
    expect(next([waiter("new"), waiter("old", { since: NOW - 1 })], { seats: 1 })).toEqual(["old"]);
  });

  test("restores go before backups, these before deletions, and maintenance comes last", () => {
    const waiting = (["maintenance", "delete", "backup", "restore"] as const).map((kind, i) =>
      waiter(kind, { rank: RANKS[kind], since: NOW - 10 + i }),
    );
    expect(next(waiting)).toEqual(["restore", "backup", "delete", "maintenance"]);
  });

  test("an hour of waiting is worth a rank, so that housekeeping is done although backups never end", () => {
    const maintenance = (hours: number) =>
      waiter("m", { rank: RANKS.maintenance, tenant: "ops/m", since: NOW - hours * HOUR });
    expect(next([waiter("b", { since: NOW - MINUTE }), maintenance(1)], { seats: 1 })).toEqual(["b"]);
    expect(next([waiter("b", { since: NOW - MINUTE }), maintenance(2)], { seats: 1 })).toEqual(["m"]);
  });

  test("a thousand of one namespace do not keep another one waiting", () => {
    const crowd = Array.from({ length: 1000 }, (_, i) => waiter(`c${i}`, { since: NOW - HOUR / 2 + i }));
    const one = waiter("one", { tenant: "other/data" });
    const seated = [{ tenant: "shop/data" }, { tenant: "shop/data" }, { tenant: "shop/data" }];
    expect(next([...crowd, one], { seated })).toEqual(["one"]);
  });

  test("within a namespace recipes take turns", () => {
    const waiting = [
      ...["a1", "a2", "a3"].map((id) => waiter(id, { tenant: "shop/a", since: NOW - 9 })),
      waiter("b1", { tenant: "shop/b" }),
    ];
    expect(next(waiting, { seats: 2 })).toEqual(["a1", "b1"]);
  });

  test("what must be alone waits until nobody works, and nobody begins before it", () => {
    const alone = waiter("alone", { exclusive: true, since: NOW - 5 });
    expect(next([alone, waiter("b")])).toEqual(["alone"]);
    expect(next([alone, waiter("b")], { seated: [{ tenant: "shop/x" }] })).toEqual([]);
    expect(next([waiter("b")], { seated: [{ exclusive: true }] })).toEqual([]);
    expect(next([waiter("early", { since: NOW - 9 }), alone, waiter("b")])).toEqual(["early"]);
  });

  test("a clock that was set back changes nothing for the worse", () => {
    expect(next([waiter("future", { since: NOW + HOUR }), waiter("b")])).toEqual(["b", "future"]);
  });

  const waiters = fc.uniqueArray(
    fc.record({
      id: fc.stringMatching(/^[a-z]{1,6}$/),
      rank: fc.nat(3),
      tenant: fc.constantFrom("a/1", "a/2", "b/1", "c/1"),
      since: fc.integer({ min: NOW - 5 * HOUR, max: NOW }),
    }),
    { selector: ({ id }) => id, maxLength: 30 },
  );

  test("the order of the question does not matter, every seat is used, and everybody gets one in the end", () => {
    fc.assert(
      fc.property(waiters, fc.integer({ min: 1, max: 5 }), (waiting, seats) => {
        const question = { waiting, seated: [], seats, now: NOW };
        const chosen = nextSlots(question);
        expect(chosen).toEqual(nextSlots({ ...question, waiting: waiting.toReversed() }));
        expect(chosen.length).toBe(Math.min(seats, waiting.length));
        let left: readonly Waiter[] = waiting;
        for (let turn = 0; left.length > 0; turn++) {
          expect(turn).toBeLessThan(31);
          const served = new Set(nextSlots({ ...question, waiting: left }));
          left = left.filter((one) => !served.has(one));
        }
      }),
    );
  });
});
