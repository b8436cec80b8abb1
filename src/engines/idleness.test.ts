import { expect, test } from "vitest";
import type { Effort } from "../lib/process_effort.ts";
import { VirtualClock } from "../lib/virtual_clock.ts";
import type { RateLimits } from "../wire/work.ts";
import { Idleness } from "./idleness.ts";

const MS = 10_000;

function watched(limits?: RateLimits) {
  const clock = new VirtualClock();
  const ends: number[] = [];
  const used: Effort = { cpuMs: 0, bytes: 0 };
  const effort = () => ({ ...used });
  const idleness = new Idleness({ clock, ms: MS, limits, effort, end: (ms) => void ends.push(ms) });
  const use = (more: Partial<Effort>) => void Object.assign(used, more);
  return { clock, idleness, ends, use };
}

test("what computes or moves something goes on, and what does next to nothing is ended", async () => {
  const { clock, ends, use } = watched();
  for (const step of [{ bytes: 200_000 }, { cpuMs: 10 }]) {
    use(step);
    await clock.advance(MS);
  }
  expect(ends).toEqual([]);
  use({ cpuMs: 19, bytes: 399_000 });
  await clock.advance(MS);
  expect(ends).toEqual([MS]);
});

test("what is told to move little may move little", async () => {
  const { clock, ends, use } = watched({ upload: 1e9, download: 2000 });
  use({ bytes: 10_000 });
  await clock.advance(MS);
  expect(ends).toEqual([]);
  use({ bytes: 19_000 });
  await clock.advance(MS);
  expect(ends).toEqual([MS]);
});

test("who takes his time with what was read is not the storage", async () => {
  const { clock, idleness, ends } = watched();
  idleness.pause();
  await clock.advance(10 * MS);
  idleness.resume();
  await clock.advance(2 * MS - 1);
  expect(ends).toEqual([]);
  await clock.advance(1);
  expect(ends).toEqual([MS]);
});

test("nothing is ended that is over, or of which nothing is known", async () => {
  const over = watched();
  over.idleness[Symbol.dispose]();
  over.idleness.resume();
  const clock = new VirtualClock();
  let ended = false;
  using _ = new Idleness({
    clock,
    ms: MS,
    effort: () => undefined,
    end: () => {
      ended = true;
    },
  });
  await Promise.all([over.clock.advance(10 * MS), clock.advance(10 * MS)]);
  expect([over.ends, ended]).toEqual([[], false]);
});
