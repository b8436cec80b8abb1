import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { clockSteps } from "./clock_steps.ts";

function watched() {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const seen: number[] = [];
  const steps = clockSteps({ name: "steps", clock, onStep: () => void seen.push(clock.monotonic()) });
  const ended = steps.run(stop.signal, () => {}, stop.signal);
  return { clock, seen, stop, ended };
}

test("clockSteps() notices soon that the clock was set, in either direction, and once", async () => {
  const { clock, seen } = watched();
  await clock.advance(12_000);
  expect(seen).toEqual([]);
  clock.step(3_600_000);
  await clock.advance(5_000);
  expect(seen).toEqual([15_000]);
  clock.step(-7_200_000);
  await clock.advance(5_000);
  expect(seen).toEqual([15_000, 20_000]);
});

test("clockSteps() lets small differences pass until they add up", async () => {
  const { clock, seen } = watched();
  for (let i = 0; i < 6; i++) {
    clock.step(50);
    await clock.advance(5_000);
  }
  expect(seen).toEqual([30_000]);
});

test("clockSteps() ends with its signal, and leaves no timer behind", async () => {
  const { clock, stop, ended } = watched();
  await clock.advance(7_000);
  stop.abort();
  await ended;
  expect(clock.pendingTimers).toBe(0);
});
