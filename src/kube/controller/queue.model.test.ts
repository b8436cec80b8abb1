import fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { WorkQueue } from "./queue.ts";

type Step =
  | { readonly do: "add"; readonly key: string }
  | { readonly do: "retry"; readonly key: string }
  | { readonly do: "addAfter"; readonly key: string; readonly ms: number }
  | { readonly do: "take" }
  | { readonly do: "done"; readonly pick: number }
  | { readonly do: "advance"; readonly ms: number };

const key = fc.constantFrom("a", "b", "c", "d");
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("add" as const), key }),
  fc.record({ do: fc.constant("retry" as const), key }),
  fc.record({ do: fc.constant("addAfter" as const), key, ms: fc.nat(50) }),
  fc.record({ do: fc.constant("take" as const) }),
  fc.record({ do: fc.constant("done" as const), pick: fc.nat(9) }),
  fc.record({ do: fc.constant("advance" as const), ms: fc.nat(30) }),
);

/** The promises that the queue has made: each key, and when it must be ready at the latest. */
class Model {
  readonly owed = new Map<string, number>();
  readonly inFlight = new Set<string>();

  promise(key: string, due: number): void {
    this.owed.set(key, Math.min(due, this.owed.get(key) ?? Infinity));
  }

  take(key: string, now: number): void {
    expect(this.inFlight.has(key), `${key} is with two workers`).toBe(false);
    expect(this.owed.get(key), `${key} came too early or unasked`).toBeLessThanOrEqual(now);
    this.owed.delete(key);
    this.inFlight.add(key);
  }

  ready(now: number): readonly string[] {
    return [...this.owed].filter(([key, due]) => due <= now && !this.inFlight.has(key)).map(([key]) => key);
  }
}

async function run(steps: readonly Step[]): Promise<void> {
  const clock = new VirtualClock();
  const queue = new WorkQueue<string>({
    name: "model",
    clock,
    random: seededRandom(7),
    backoff: { base: 5, cap: 40 },
  });
  const model = new Model();
  const takeOne = async () => model.take((await queue.take()) ?? "closed", clock.monotonic());
  const finish = (key: string) => {
    model.inFlight.delete(key);
    queue.done(key);
  };
  const apply = async (next: Step) => {
    const now = clock.monotonic();
    if (next.do === "add") {
      queue.add(next.key);
      model.promise(next.key, now);
    } else if (next.do === "addAfter") {
      queue.addAfter(next.key, next.ms);
      model.promise(next.key, now + next.ms);
    } else if (next.do === "retry") {
      model.promise(next.key, now + queue.addRateLimited(next.key));
    } else if (next.do === "take") {
      if (queue.depth > 0) await takeOne();
    } else if (next.do === "done") {
      const held = [...model.inFlight];
      const picked = held[next.pick % held.length];
      if (picked !== undefined) finish(picked);
    } else {
      await clock.advance(next.ms);
    }
  };
  for (const next of steps) {
    await apply(next);
    expect(queue.depth).toBe(model.ready(clock.monotonic()).length);
    expect(new Set(queue.inFlight)).toEqual(model.inFlight);
  }
  for (const key of [...model.inFlight]) finish(key);
  await clock.advance(1_000);
  while (queue.depth > 0) await takeOne();
  expect([...model.owed.keys()], "adds that were lost").toEqual([]);
  for (const key of [...model.inFlight]) finish(key);
  expect([queue.depth, queue.delayed, clock.pendingTimers]).toEqual([0, 0, 0]);
}

test("whatever happens, no key is with two workers, no add is lost and duplicates fold", async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), run), { numRuns: 200 });
});
