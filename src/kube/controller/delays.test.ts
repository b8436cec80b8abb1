import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { Delays } from "./delays.ts";

function setup() {
  const clock = new VirtualClock();
  const due: string[] = [];
  const delays = new Delays<string, number>(clock, (key, value) =>
    due.push(`${key}${value} at ${clock.monotonic()}`),
  );
  return { clock, due, delays };
}

test("keys fall due in order, with one timer for all", async () => {
  const { clock, due, delays } = setup();
  delays.set("a", 300, 1);
  delays.set("b", 100, 2);
  delays.set("c", 200, 3);
  expect([delays.size, clock.pendingTimers]).toEqual([3, 1]);
  await clock.advance(1_000);
  expect(due).toEqual(["b2 at 100", "c3 at 200", "a1 at 300"]);
  expect([delays.size, clock.pendingTimers]).toEqual([0, 0]);
});

test("the earlier of two delays of one key counts", async () => {
  const { clock, due, delays } = setup();
  delays.set("a", 300, 1);
  delays.set("a", 100, 2);
  delays.set("a", 200, 3);
  await clock.advance(1_000);
  expect(due).toEqual(["a2 at 100"]);
});

test("what is deleted or cleared never falls due, and leaves no timer", async () => {
  const { clock, due, delays } = setup();
  delays.set("a", 100, 1);
  delays.set("b", 200, 2);
  delays.delete("a");
  await clock.advance(150);
  delays.clear();
  expect(clock.pendingTimers).toBe(0);
  await clock.advance(1_000);
  expect(due).toEqual([]);
});

test("a key may be set again while it falls due", async () => {
  const clock = new VirtualClock();
  let rounds = 0;
  const delays: Delays<string, number> = new Delays(clock, (key) => {
    if (++rounds < 3) delays.set(key, 100, 0);
  });
  delays.set("a", 100, 0);
  await clock.advance(1_000);
  expect(rounds).toBe(3);
});
