import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { FirstSeen } from "./first_seen.ts";

test("ages count from the first look, by this process's own clock", async () => {
  const clock = new VirtualClock();
  const seen = new FirstSeen(clock);
  expect(seen.age("a")).toBe(0);
  await clock.advance(5_000);
  clock.step(3_600_000);
  expect(seen.age("a")).toBe(5_000);
  expect(seen.age("b")).toBe(0);
});

test("what was longest not asked for is forgotten", () => {
  const seen = new FirstSeen({ monotonic: () => time });
  let time = 0;
  const small = new FirstSeen({ monotonic: () => time }, 2);
  for (const name of ["a", "b", "c"]) {
    small.age(name);
    seen.age(name);
  }
  time = 10;
  expect(small.age("a")).toBe(0);
  expect(seen.age("a")).toBe(10);
});
