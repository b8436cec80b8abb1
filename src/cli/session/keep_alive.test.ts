import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { keepAlive } from "./keep_alive.ts";

test("a session is asked more often than it would end, until nobody needs it", async () => {
  const clock = new VirtualClock();
  let asked = 0;
  const client = {
    info: async () => {
      asked += 1;
      throw new Error("busy");
    },
  };
  const kept = keepAlive(client, { clock, signal: new AbortController().signal });
  await clock.advance(600_000);
  expect(asked).toBeGreaterThanOrEqual(5);
  const before = asked;
  kept[Symbol.dispose]();
  await clock.advance(600_000);
  expect(asked).toBe(before);
});
