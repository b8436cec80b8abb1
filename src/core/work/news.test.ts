import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { News } from "./news.ts";

function started() {
  const clock = new VirtualClock();
  const times: number[] = [];
  const news = new News({ clock, interval: 5_000, announce: () => times.push(clock.monotonic()) });
  return { clock, times, news };
}

test("the first is passed on at once, what follows at the end of the interval, together", async () => {
  const { clock, times, news } = started();
  news.add(false);
  await clock.advance(1_000);
  news.add(false);
  news.add(false);
  await clock.advance(20_000);
  expect(times).toEqual([0, 5_000]);
  expect(clock.pendingTimers).toBe(0);
});

test("what is urgent does not wait, and takes what waits along", async () => {
  const { clock, times, news } = started();
  news.add(false);
  news.add(false);
  await clock.advance(100);
  news.add(true);
  await clock.advance(20_000);
  expect(times).toEqual([0, 100]);
});

test("nothing comes after the stop", async () => {
  const { clock, times, news } = started();
  news.add(false);
  news.add(false);
  news.stop();
  await clock.advance(20_000);
  expect(times).toEqual([0]);
});
