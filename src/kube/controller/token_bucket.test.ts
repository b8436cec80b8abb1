import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { TokenBucket } from "./token_bucket.ts";

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
