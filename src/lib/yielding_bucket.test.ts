import { expect, test } from "vitest";
import { TokenBucket } from "./token_bucket.ts";
import { VirtualClock } from "./virtual_clock.ts";
import { YieldingBucket } from "./yielding_bucket.ts";

function buckets() {
  const clock = new VirtualClock();
  const hurried = new TokenBucket({ perSecond: 10, burst: 1 }, clock);
  const patient = new YieldingBucket({ perSecond: 100, burst: 1, to: hurried, atLeast: 1 }, clock);
  const taken: number[] = [];
  const take = (signal?: AbortSignal) =>
    patient.take(signal).then(() => {
      taken.push(clock.monotonic());
    });
  return { clock, hurried, take, taken };
}

test("alone it has a rate of its own", async () => {
  const { clock, take, taken } = buckets();
  const begun = clock.monotonic();
  for (let i = 0; i < 4; i++) void take();
  await clock.advance(1000);
  expect(taken.map((at) => at - begun)).toEqual([0, 10, 20, 30]);
});

test("whoever waits for the other bucket goes first, and what is taken here delays nobody there", async () => {
  const { clock, hurried, take, taken } = buckets();
  for (let i = 0; i < 11; i++) hurried.reserve();
  await take();
  const begun = clock.monotonic();
  for (let i = 0; i < 3; i++) void take();
  await clock.advance(999);
  expect(taken).toHaveLength(1);
  expect(hurried.debt).toBeCloseTo(1);
  await clock.advance(100);
  expect(taken.slice(1).map((at) => at - begun)).toEqual([1000, 1010, 1020]);
});

test("under a load that never ends it goes on, slowly, however many want to take", async () => {
  const { clock, hurried, take, taken } = buckets();
  const begun = clock.monotonic();
  for (let i = 0; i < 100_000; i++) hurried.reserve();
  for (let i = 0; i < 50; i++) void take();
  await clock.advance(3500);
  expect(taken.map((at) => at - begun)).toEqual([0, 1000, 2000, 3000]);
});

test("a wait that the signal ends leaves no timer behind", async () => {
  const { clock, hurried, take } = buckets();
  for (let i = 0; i < 4; i++) hurried.reserve();
  await take();
  const impatient = new AbortController();
  const given = take(impatient.signal);
  impatient.abort(new Error("enough"));
  await expect(given).rejects.toThrow("enough");
  expect(clock.pendingTimers).toBe(0);
});
