import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { type Priority, WorkQueue, type WorkQueueOptions } from "./queue.ts";

function setup(options: Partial<WorkQueueOptions> = {}) {
  const clock = new VirtualClock();
  const queue = new WorkQueue<string>({ name: "test", clock, random: seededRandom(1), ...options });
  return { clock, queue };
}

/** Takes without waiting: the keys that are ready, in the order in which they come out. */
async function takeReady(queue: WorkQueue<string>): Promise<string[]> {
  const keys: string[] = [];
  while (queue.depth > 0) keys.push((await queue.take()) ?? "closed");
  return keys;
}

describe("adding", () => {
  test("duplicates fold into one", async () => {
    const { queue } = setup();
    queue.add("a");
    queue.add("b");
    queue.add("a");
    expect(await takeReady(queue)).toEqual(["a", "b"]);
  });

  test("a key added while a worker has it is given out once more, afterwards", async () => {
    const { queue } = setup();
    queue.add("a");
    await queue.take();
    queue.add("a");
    queue.add("a");
    expect(queue.depth).toBe(0);
    queue.done("a");
    expect(await takeReady(queue)).toEqual(["a"]);
    queue.done("a");
    expect(queue.depth).toBe(0);
  });

  test("a waiting taker gets the next key", async () => {
    const { queue } = setup();
    const first = queue.take();
    const second = queue.take();
    queue.add("a");
    queue.add("b");
    expect(await Promise.all([first, second])).toEqual(["a", "b"]);
  });

  test("a taker whose signal aborts takes no key away", async () => {
    const { queue } = setup();
    const abort = new AbortController();
    const taking = queue.take(abort.signal);
    abort.abort(new Error("enough"));
    await expect(taking).rejects.toThrow("enough");
    queue.add("a");
    expect(await takeReady(queue)).toEqual(["a"]);
  });

  test("handing back a key that no worker has is an error", () => {
    const { queue } = setup();
    expect(() => queue.done("a")).toThrow("queue test: a is with no worker");
  });
});

describe("delays", () => {
  test("the earliest of several delays counts, once", async () => {
    const { queue, clock } = setup();
    queue.addAfter("a", 500);
    queue.addAfter("a", 100);
    queue.addAfter("a", 300);
    await clock.advance(99);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(await takeReady(queue)).toEqual(["a"]);
    queue.done("a");
    await clock.advance(1000);
    expect(queue.depth).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  test("a worker that takes the key sooner has kept the promise", async () => {
    const { queue, clock } = setup();
    queue.addAfter("a", 100);
    queue.add("a");
    await takeReady(queue);
    queue.done("a");
    expect(queue.delayed).toBe(0);
    await clock.advance(1000);
    expect(queue.depth).toBe(0);
  });

  test("a delay asked for while a worker has the key stands", async () => {
    const { queue, clock } = setup();
    queue.add("a");
    await queue.take();
    queue.addAfter("a", 100);
    queue.done("a");
    await clock.advance(100);
    expect(await takeReady(queue)).toEqual(["a"]);
  });

  test("retries of a key are further and further apart, until it is forgotten", () => {
    const { queue } = setup({ backoff: { base: 100, cap: 1000, jitter: 0 } });
    expect([1, 2, 3, 4, 5].map(() => queue.addRateLimited("a"))).toEqual([100, 200, 400, 800, 1000]);
    expect(queue.addRateLimited("b")).toBe(100);
    queue.forget("a");
    expect(queue.addRateLimited("a")).toBe(100);
  });

  test("retries of many keys are spread by the common limit", () => {
    const { queue } = setup({
      backoff: { base: 10, cap: 10, jitter: 0 },
      retryLimit: { perSecond: 10, burst: 2 },
    });
    expect(["a", "b", "c", "d"].map((key) => queue.addRateLimited(key))).toEqual([10, 10, 100, 200]);
  });

  test("a retry waits at least as long as asked", () => {
    const { queue } = setup({ backoff: { base: 10, cap: 10 } });
    expect(queue.addRateLimited("a", { atLeast: 7000 })).toBe(7000);
  });

  test("failures of another kind are counted anew", () => {
    const { queue } = setup();
    const quick = { base: 10, cap: 1000, jitter: 0 };
    for (let i = 0; i < 5; i++) queue.addRateLimited("a", { backoff: quick });
    expect(queue.addRateLimited("a", { backoff: { base: 1000, cap: 9000, jitter: 0 } })).toBe(1000);
  });
});

describe("priorities", () => {
  test("the most urgent goes first, the oldest within a priority", async () => {
    const { queue } = setup();
    queue.add("low", { priority: "low" });
    queue.add("first");
    queue.add("second");
    queue.add("high", { priority: "high" });
    expect(await takeReady(queue)).toEqual(["high", "first", "second", "low"]);
  });

  test("a more urgent add lifts a key that waits, a less urgent one does not lower it", async () => {
    const { queue } = setup();
    queue.add("a", { priority: "low" });
    queue.add("b");
    queue.add("a", { priority: "high" });
    queue.add("a", { priority: "low" });
    expect(await takeReady(queue)).toEqual(["a", "b"]);
  });

  test("no key waits behind one that became ready later than its head start", async () => {
    const headStart = { low: 0, normal: 100, high: 1000 };
    const adds = fc.array(
      fc.record({ wait: fc.nat(400), priority: fc.constantFrom<Priority>("low", "normal", "high") }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(adds, async (steps) => {
        const { queue, clock } = setup({ headStart });
        const ready = new Map<string, { at: number; priority: Priority }>();
        for (const [i, { wait, priority }] of steps.entries()) {
          await clock.advance(wait);
          queue.add(`k${i}`, { priority });
          ready.set(`k${i}`, { at: clock.monotonic(), priority });
        }
        const order = (await takeReady(queue)).map(
          (key) => ready.get(key) ?? { at: -1, priority: "low" as const },
        );
        expect(order.length).toBe(steps.length);
        order.forEach((early, i) => {
          for (const late of order.slice(i + 1)) {
            expect(early.at - late.at).toBeLessThanOrEqual(
              headStart[early.priority] - headStart[late.priority],
            );
          }
        });
      }),
      { numRuns: 50 },
    );
  });
});

describe("draining", () => {
  test("waits for the workers, drops what waits, and takes nothing new", async () => {
    const { queue, clock } = setup();
    queue.add("a");
    await queue.take();
    queue.add("b");
    queue.addAfter("c", 10);
    let left: readonly string[] | undefined;
    queue.drain(1000).then((keys) => {
      left = keys;
    });
    queue.add("d");
    queue.addRateLimited("e");
    await clock.advance(500);
    expect(left).toBeUndefined();
    queue.done("a");
    await clock.advance(0);
    expect(left).toEqual([]);
    expect([queue.depth, queue.delayed, clock.pendingTimers]).toEqual([0, 0, 0]);
    expect(await queue.take()).toBeUndefined();
  });

  test("names the keys that workers still have when the time is up", async () => {
    const { queue, clock } = setup();
    queue.add("a");
    await queue.take();
    const drained = queue.drain(1000);
    await clock.advance(1000);
    expect(await drained).toEqual(["a"]);
  });

  test("frees the takers that wait", async () => {
    const { queue } = setup();
    const taking = queue.take();
    await queue.drain(0);
    expect(await taking).toBeUndefined();
  });
});

test("the observer and the gauges tell what happens", async () => {
  const seen: string[] = [];
  const { queue, clock } = setup({
    observer: {
      added: () => seen.push("added"),
      taken: (_, ms) => seen.push(`taken after ${ms}`),
      finished: (_, ms) => seen.push(`finished after ${ms}`),
      retried: () => seen.push("retried"),
    },
  });
  queue.add("a");
  expect(queue.depth).toBe(1);
  await clock.advance(20);
  await queue.take();
  await clock.advance(30);
  expect(queue.longestRunning).toBe(30);
  queue.done("a");
  queue.addRateLimited("a");
  expect([queue.longestRunning, queue.delayed, queue.inFlight]).toEqual([0, 1, []]);
  expect(seen).toEqual(["added", "taken after 20", "finished after 30", "retried"]);
});
