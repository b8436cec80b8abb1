import { describe, expect, test, vi } from "vitest";
import { DeadlineExceeded, deadline, sleep, systemClock } from "./clock.ts";
import { VirtualClock } from "./virtual_clock.ts";

/** An AbortSignal that says how many listeners are on it. */
function countingSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  vi.spyOn(signal, "addEventListener").mockImplementation((...args: Parameters<typeof add>) => {
    listeners++;
    add(...args);
  });
  vi.spyOn(signal, "removeEventListener").mockImplementation((...args: Parameters<typeof remove>) => {
    listeners--;
    remove(...args);
  });
  return { controller, signal, listeners: () => listeners };
}

describe("sleep()", () => {
  test("resolves when the time has come, and not before", async () => {
    const clock = new VirtualClock();
    let awake = false;
    void sleep(clock, 1000).then(() => {
      awake = true;
    });
    await clock.advance(999);
    expect(awake).toBe(false);
    await clock.advance(1);
    expect(awake).toBe(true);
  });

  test("rejects with the signal's reason, and leaves no timer behind", async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const asleep = sleep(clock, 1000, controller.signal);
    expect(clock.pendingTimers).toBe(1);
    controller.abort(new Error("enough"));
    await expect(asleep).rejects.toThrow("enough");
    expect(clock.pendingTimers).toBe(0);
  });

  test("rejects at once when the signal is aborted already", async () => {
    const clock = new VirtualClock();
    await expect(sleep(clock, 1000, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
    expect(clock.pendingTimers).toBe(0);
  });

  test("leaves no listener on the signal", async () => {
    const clock = new VirtualClock();
    const { signal, listeners } = countingSignal();
    const asleep = sleep(clock, 1000, signal);
    expect(listeners()).toBe(1);
    await clock.advance(1000);
    await asleep;
    expect(listeners()).toBe(0);
  });
});

describe("deadline()", () => {
  test("aborts when the time has passed, and says what took so long", async () => {
    const clock = new VirtualClock();
    using limit = deadline(clock, 1500, "listing pods");
    await clock.advance(1499);
    expect(limit.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(limit.signal.reason).toBeInstanceOf(DeadlineExceeded);
    expect(limit.signal.reason.message).toBe("listing pods took longer than 1.5 s");
  });

  test("aborts with the parent's reason, then or already", () => {
    const clock = new VirtualClock();
    const parent = new AbortController();
    using limit = deadline(clock, 1000, "it", parent.signal);
    expect(limit.signal.aborted).toBe(false);
    parent.abort("stop");
    expect(limit.signal.reason).toBe("stop");
    using late = deadline(clock, 1000, "it", parent.signal);
    expect(late.signal.reason).toBe("stop");
  });

  test("keeps the first reason", async () => {
    const clock = new VirtualClock();
    const parent = new AbortController();
    using limit = deadline(clock, 1000, "it", parent.signal);
    parent.abort("stop");
    await clock.advance(1000);
    expect(limit.signal.reason).toBe("stop");
  });

  test("leaves neither timer nor listener behind once disposed", () => {
    const clock = new VirtualClock();
    const { signal, listeners } = countingSignal();
    {
      using _limit = deadline(clock, 1000, "it", signal);
      expect([clock.pendingTimers, listeners()]).toEqual([1, 1]);
    }
    expect([clock.pendingTimers, listeners()]).toEqual([0, 0]);
  });
});

describe("systemClock", () => {
  /** Node's own timers and clocks, held still. */
  function withFakeTimers(body: () => void): () => void {
    return () => {
      vi.useFakeTimers({ now: 0, toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
      try {
        body();
      } finally {
        vi.useRealTimers();
      }
    };
  }

  test(
    "waits longer than a timer of Node's can",
    withFakeTimers(() => {
      const days = 24 * 60 * 60 * 1000;
      const callback = vi.fn();
      systemClock.after(60 * days, callback);
      vi.advanceTimersByTime(60 * days - 1);
      expect(callback).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      expect(callback).toHaveBeenCalledTimes(1);
      expect(vi.getTimerCount()).toBe(0);
    }),
  );

  test(
    "never fires before the time is over, though the timer does",
    withFakeTimers(() => {
      let now = 0;
      vi.spyOn(performance, "now").mockImplementation(() => now);
      const callback = vi.fn();
      systemClock.after(10, callback);
      now = 9.6;
      vi.advanceTimersByTime(10);
      expect(callback).not.toHaveBeenCalled();
      now = 10.7;
      vi.advanceTimersByTime(1);
      expect(callback).toHaveBeenCalledTimes(1);
    }),
  );

  test(
    "cancels, also after the first leg of a long wait, and twice",
    withFakeTimers(() => {
      const callback = vi.fn();
      const cancel = systemClock.after(2 ** 32, callback);
      vi.advanceTimersByTime(2 ** 31);
      cancel();
      cancel();
      vi.advanceTimersByTime(2 ** 33);
      expect(callback).not.toHaveBeenCalled();
    }),
  );

  test(
    "reads wall time and monotonic time from their own sources",
    withFakeTimers(() => {
      vi.setSystemTime(5000);
      const start = systemClock.monotonic();
      vi.setSystemTime(1000);
      expect(systemClock.now()).toBe(1000);
      expect(systemClock.monotonic()).toBeGreaterThanOrEqual(start);
    }),
  );
});
