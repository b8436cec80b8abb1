import { expect, test } from "vitest";
import { VirtualClock } from "../lib/virtual_clock.ts";
import type { Progress } from "../wire/progress.ts";
import { Meter } from "./meter.ts";

function watched() {
  const clock = new VirtualClock();
  const seen: Progress[] = [];
  return { clock, seen, meter: new Meter(clock, (progress) => void seen.push(progress)) };
}

test("adds up what one program after the other moves", async () => {
  const { clock, seen, meter } = watched();
  let bytes = 10;
  const first = meter.follow(() => ({ cpuMs: 0, bytes }));
  bytes = 100;
  await clock.advance(100);
  first();
  bytes = 5;
  const second = meter.follow(() => ({ cpuMs: 0, bytes }));
  second();
  expect(seen).toEqual([{ movedBytes: 10 }, { movedBytes: 100 }, { movedBytes: 105 }]);
});

test("says nothing of a program that has not moved anything, has ended or is unknown", async () => {
  const { clock, seen, meter } = watched();
  let bytes = 1;
  const ended = meter.follow(() => ({ cpuMs: 0, bytes }));
  await clock.advance(10_000);
  ended();
  bytes = 2;
  meter.follow(() => undefined);
  await clock.advance(10_000);
  expect(seen).toEqual([{ movedBytes: 1 }]);
});

test("says what programs print beside what they move", async () => {
  const { clock, seen, meter } = watched();
  let bytes = 7;
  meter.follow(() => ({ cpuMs: 0, bytes }));
  meter.printed({ files: 1, estimatedFiles: 2 });
  bytes = 9;
  await clock.advance(100);
  expect(seen.slice(1)).toEqual([
    { files: 1, estimatedFiles: 2, movedBytes: 7 },
    { files: 1, estimatedFiles: 2, movedBytes: 9 },
  ]);
});

test("looks at nothing when nobody wants to know", async () => {
  const clock = new VirtualClock();
  let looks = 0;
  new Meter(clock, undefined).follow(() => {
    looks += 1;
    return undefined;
  });
  await clock.advance(10_000);
  expect(looks).toBe(0);
});
