import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { Doorbell } from "./doorbell.ts";

async function waits(act: (bell: Doorbell) => void, ms = 1_000): Promise<number> {
  const clock = new VirtualClock();
  const bell = new Doorbell(clock);
  const waited = bell.wait(ms).then(() => clock.monotonic());
  clock.after(100, () => act(bell));
  await clock.advance(5_000);
  expect(clock.pendingTimers).toBe(0);
  return waited;
}

describe("Doorbell", () => {
  test("ends a wait when it rings, or when its time is over", async () => {
    expect(await waits((bell) => bell.ring())).toBe(100);
    expect(await waits(() => {})).toBe(1_000);
  });

  test("keeps one ring for the next wait", async () => {
    const clock = new VirtualClock();
    const bell = new Doorbell(clock);
    bell.ring();
    bell.ring();
    await bell.wait(1_000);
    const second = bell.wait(1_000);
    await clock.advance(999);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(1);
    await second;
  });

  test("rejects with the signal's reason, and can be waited for again", async () => {
    const bell = new Doorbell(new VirtualClock());
    await expect(bell.wait(1_000, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
    bell.ring();
    await bell.wait(1_000);
  });
});
