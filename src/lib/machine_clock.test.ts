import { expect, test } from "vitest";
import { MachineClock } from "./machine_clock.ts";
import { VirtualClock } from "./virtual_clock.ts";

test("MachineClock shows the wrong time, and rings at the right one", async () => {
  const real = new VirtualClock("2026-01-01T00:00:00Z");
  const clock = new MachineClock(real);
  const rung: number[] = [];
  clock.after(1_000, () => rung.push(clock.monotonic()));
  clock.err(3_600_000);
  expect(clock.now()).toBe(Date.parse("2026-01-01T01:00:00Z"));
  await real.advance(2_000);
  expect(rung).toEqual([1_000]);
  clock.err(0);
  expect(clock.now()).toBe(real.now());
});
