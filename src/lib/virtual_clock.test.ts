import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sleep } from "./clock.ts";
import { VirtualClock } from "./virtual_clock.ts";

describe("VirtualClock", () => {
  test("stands still until it is moved", async () => {
    const clock = new VirtualClock("2026-03-01T00:00:00Z");
    expect([clock.now(), clock.monotonic()]).toEqual([Date.parse("2026-03-01T00:00:00Z"), 0]);
    await clock.advance(1500);
    expect([clock.now(), clock.monotonic()]).toEqual([Date.parse("2026-03-01T00:00:01.500Z"), 1500]);
  });

  test("fires timers by their due times, those of one moment as they were set, each at its time", async () => {
    const delays = fc.array(fc.integer({ min: -5, max: 50 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(delays, async (list) => {
        const clock = new VirtualClock();
        const fired: [due: number, order: number][] = [];
        list.forEach((ms, order) => {
          clock.after(ms, () => {
            expect(clock.monotonic()).toBe(Math.max(0, ms));
            fired.push([Math.max(0, ms), order]);
          });
        });
        await clock.advance(50);
        expect(fired).toEqual([...fired].sort((a, b) => a[0] - b[0] || a[1] - b[1]));
        expect(fired).toHaveLength(list.length);
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 30 },
    );
  });

  test("does not fire what is due later", async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    clock.after(10, () => fired.push("ten"));
    clock.after(11, () => fired.push("eleven"));
    await clock.advance(10);
    expect(fired).toEqual(["ten"]);
    expect(clock.pendingTimers).toBe(1);
  });

  test("fires on the way what is set on the way", async () => {
    const clock = new VirtualClock();
    const times: number[] = [];
    const again = () => {
      times.push(clock.monotonic());
      clock.after(10, again);
    };
    clock.after(10, again);
    await clock.advance(35);
    expect(times).toEqual([10, 20, 30]);
  });

  test("lets promises run between two timers", async () => {
    const clock = new VirtualClock();
    const order: string[] = [];
    const nap = async (ms: number) => {
      await sleep(clock, ms);
      order.push(`woke at ${clock.monotonic()}`);
      await sleep(clock, 1);
      order.push(`again at ${clock.monotonic()}`);
    };
    void nap(5);
    void nap(7);
    await clock.advance(10);
    expect(order).toEqual(["woke at 5", "again at 6", "woke at 7", "again at 8"]);
  });

  test("forgets a cancelled timer, also when cancelled twice or by another timer of that moment", async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    clock.after(5, () => cancel());
    const cancel = clock.after(5, () => fired.push("cancelled"));
    const early = clock.after(1, () => fired.push("early"));
    early();
    early();
    await clock.advance(10);
    expect(fired).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  test("holds timers longer than those of Node", async () => {
    const clock = new VirtualClock();
    let fired = false;
    clock.after(2 ** 33, () => {
      fired = true;
    });
    await clock.advance(2 ** 33 - 1);
    expect(fired).toBe(false);
    await clock.advance(1);
    expect(fired).toBe(true);
  });

  test("step() moves wall time alone", async () => {
    const clock = new VirtualClock(1000);
    let fired = false;
    clock.after(10, () => {
      fired = true;
    });
    clock.step(60_000);
    await clock.advance(9);
    expect([clock.now(), clock.monotonic(), fired]).toEqual([61_009, 9, false]);
    clock.step(-60_000);
    await clock.advance(1);
    expect([clock.now(), clock.monotonic(), fired]).toEqual([1010, 10, true]);
  });

  test("advanceToNext() jumps to the next timer, and says when there is none", async () => {
    const clock = new VirtualClock();
    const fired: number[] = [];
    clock.after(100, () => fired.push(100));
    clock.after(300, () => fired.push(300));
    expect(await clock.advanceToNext()).toBe(true);
    expect([clock.monotonic(), fired]).toEqual([100, [100]]);
    expect(await clock.advanceToNext()).toBe(true);
    expect([clock.monotonic(), fired]).toEqual([300, [100, 300]]);
    expect(await clock.advanceToNext()).toBe(false);
    expect(clock.monotonic()).toBe(300);
  });
});

test("timers that set the next for now, without end, fail instead of holding time up for ever", async () => {
  const clock = new VirtualClock();
  const again = () => void clock.after(0, again);
  again();
  await expect(clock.advance(1)).rejects.toThrow("time does not go on");
});
