import { expect, test } from "vitest";
import { TokenBucket } from "./token_bucket.ts";
import { VirtualClock } from "./virtual_clock.ts";

test("a burst goes through at once, the rest at the rate", () => {
  const bucket = new TokenBucket({ perSecond: 10, burst: 2 }, new VirtualClock());
  expect([1, 2, 3, 4].map(() => bucket.reserve())).toEqual([0, 0, 100, 200]);
});

test("a rest fills the bucket, but no further than the burst", async () => {
  const clock = new VirtualClock();
  const bucket = new TokenBucket({ perSecond: 10, burst: 2 }, clock);
  for (let i = 0; i < 4; i++) bucket.reserve();
  await clock.advance(3_600_000);
  expect([1, 2, 3].map(() => bucket.reserve())).toEqual([0, 0, 100]);
});

test("tryTake() never goes into debt", async () => {
  const clock = new VirtualClock();
  const bucket = new TokenBucket({ perSecond: 1, burst: 1 }, clock);
  expect([1, 2, 3].map(() => bucket.tryTake())).toEqual([true, false, false]);
  await clock.advance(1000);
  expect([1, 2].map(() => bucket.tryTake())).toEqual([true, false]);
});

test("take() waits its turn; one that gives up gives its place back", async () => {
  const clock = new VirtualClock();
  const bucket = new TokenBucket({ perSecond: 1, burst: 1 }, clock);
  await bucket.take();
  const impatient = new AbortController();
  const givenUp = bucket.take(impatient.signal);
  impatient.abort(new Error("enough"));
  await expect(givenUp).rejects.toThrow("enough");
  let taken = false;
  void bucket.take().then(() => {
    taken = true;
  });
  await clock.advance(999);
  expect(taken).toBe(false);
  await clock.advance(1);
  expect(taken).toBe(true);
  expect(clock.pendingTimers).toBe(0);
});
