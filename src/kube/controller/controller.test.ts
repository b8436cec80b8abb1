import { describe, expect, test } from "vitest";
import { HttpFailure } from "../../lib/http.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { type LogFields, type Logger, silentLogger } from "../../observe/log.ts";
import { noQueueObserver } from "../../observe/observers.ts";
import { ApiError } from "../api_error.ts";
import { ConfigMaps } from "../builtin.ts";
import type { Cache, Change } from "../cache/cache.ts";
import { Failure } from "../failure.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../object.ts";
import { LeadershipLost } from "../runnable.ts";
import { Controller, type ControllerOptions, done, requeueAfter } from "./controller.ts";
import { specChanged } from "./spec_changed.ts";

const key = (name: string) => keyOf({ namespace: "ns", name });

function object(name: string, generation = 1): KubeObject {
  const metadata = {
    namespace: "ns",
    name,
    uid: name,
    resourceVersion: "1",
    creationTimestamp: "",
    generation,
  };
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

/** A cache that is fed by hand. */
class HandFedCache implements Cache<KubeObject> {
  readonly resource = ConfigMaps;
  readonly #objects = new Map<ObjectKey, KubeObject>();
  readonly #handlers = new Set<(change: Change<KubeObject>) => void>();
  readonly #sync = Promise.withResolvers<void>();
  synced = false;
  staleness = 0;
  get = (key: ObjectKey) => this.#objects.get(key);
  values = () => this.#objects.values();
  indexed = () => [];
  get size() {
    return this.#objects.size;
  }
  get watched() {
    return this.#handlers.size > 0;
  }
  onChange(handler: (change: Change<KubeObject>) => void) {
    for (const [key, object] of this.#objects) handler({ type: "added", key, object });
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }
  whenSynced(signal?: AbortSignal) {
    signal?.addEventListener("abort", () => this.#sync.reject(signal.reason));
    return this.#sync.promise;
  }
  sync() {
    this.synced = true;
    this.#sync.resolve();
  }
  put(object: KubeObject) {
    const key = keyOf(object);
    const previous = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const handler of this.#handlers) {
      handler(previous ? { type: "updated", key, object, previous } : { type: "added", key, object });
    }
  }
}

function setup(options: Partial<ControllerOptions> & Pick<ControllerOptions, "reconcile">) {
  const clock = new VirtualClock();
  const results: string[] = [];
  const observer = {
    ...noQueueObserver,
    reconciled: (_: string, result: string) => {
      results.push(result);
    },
  };
  const controller = new Controller({ name: "mirror", clock, random: seededRandom(1), observer, ...options });
  const stop = new AbortController();
  const halt = new AbortController();
  const state = { ready: false, ended: false };
  const start = () => {
    void controller
      .run(
        stop.signal,
        () => {
          state.ready = true;
        },
        halt.signal,
      )
      .then(() => {
        state.ended = true;
      });
  };
  return { clock, controller, results, stop, halt, state, start };
}

describe("watching", () => {
  test("nothing is reconciled before the caches are synced; then everything that is there", async () => {
    const seen: string[] = [];
    const { clock, controller, state, start } = setup({
      reconcile: async (key) => {
        seen.push(key);
        return done;
      },
    });
    const cache = new HandFedCache();
    cache.put(object("a"));
    controller.watch(cache);
    start();
    await clock.advance(1_000);
    expect([seen, state.ready]).toEqual([[], false]);
    cache.put(object("b"));
    cache.sync();
    await clock.advance(0);
    expect([seen, state.ready]).toEqual([["ns/a", "ns/b"], true]);
    cache.put(object("c"));
    await clock.advance(0);
    expect(seen).toEqual(["ns/a", "ns/b", "ns/c"]);
  });

  test("a cache that is not awaited holds nothing up, and is followed all the same", async () => {
    const seen: string[] = [];
    const { clock, controller, start } = setup({
      reconcile: async (key) => {
        seen.push(key);
        return done;
      },
    });
    const [needed, other] = [new HandFedCache(), new HandFedCache()];
    needed.put(object("a"));
    needed.sync();
    controller.watch(needed).watch(other, { awaited: false });
    start();
    await clock.advance(0);
    expect(seen).toEqual(["ns/a"]);
    other.put(object("b"));
    await clock.advance(0);
    expect(seen).toEqual(["ns/a", "ns/b"]);
  });

  test("a change that somebody made goes before the bulk of the start", async () => {
    const seen: string[] = [];
    const { clock, controller, start } = setup({
      reconcile: async (key, signal) => {
        seen.push(key);
        await new Promise<void>((resolve) => {
          clock.after(100, resolve);
          signal.throwIfAborted();
        });
        return done;
      },
    });
    const cache = new HandFedCache();
    for (const name of ["a", "b", "c"]) cache.put(object(name));
    cache.sync();
    controller.watch(cache);
    start();
    await clock.advance(50);
    cache.put(object("edited"));
    await clock.advance(350);
    expect(seen).toEqual(["ns/a", "ns/edited", "ns/b", "ns/c"]);
  });

  test("changes are mapped to keys, and passed over when they do not count", async () => {
    const seen: string[] = [];
    const { clock, controller, start } = setup({
      reconcile: async (key) => {
        seen.push(key);
        return done;
      },
    });
    const cache = new HandFedCache();
    cache.sync();
    controller.watch(cache, {
      when: specChanged,
      keys: (change) => [key(`owner-of-${change.key.slice(3)}`)],
    });
    start();
    await clock.advance(0);
    cache.put(object("a", 1));
    await clock.advance(0);
    cache.put(object("a", 1));
    await clock.advance(0);
    expect(seen).toEqual(["ns/owner-of-a"]);
    cache.put(object("a", 2));
    await clock.advance(0);
    expect(seen.length).toBe(2);
  });
});

describe("results", () => {
  /** When the reconciles of one key start, if the first ones fail like this. */
  async function starts(failures: readonly unknown[], forMs: number) {
    const at: number[] = [];
    const world = setup({
      reconcile: async () => {
        const failure = failures[at.length];
        at.push(world.clock.monotonic());
        if (failure !== undefined) throw failure;
        return done;
      },
    });
    world.start();
    world.controller.enqueue(key("a"));
    await world.clock.advance(forMs);
    return { at, results: world.results };
  }

  test("a wish to look again is granted", async () => {
    const at: number[] = [];
    const world = setup({
      reconcile: async () => {
        at.push(world.clock.monotonic());
        return requeueAfter(60_000);
      },
    });
    world.start();
    world.controller.enqueue(key("a"));
    await world.clock.advance(130_000);
    expect([at, world.results]).toEqual([
      [0, 60_000, 120_000],
      ["requeued", "requeued", "requeued"],
    ]);
  });

  test("a conflict is looked at afresh within milliseconds", async () => {
    const conflict = new ApiError({ request: "PUT", code: 409, status: { reason: "Conflict" } });
    const { at, results } = await starts([conflict], 60);
    expect([at.length, results]).toEqual([2, ["conflict", "done"]]);
  });

  test("an API server that is away is tried again after a second, then less and less often", async () => {
    const away = new HttpFailure("refused", { code: "ECONNREFUSED", sent: false });
    const { at } = await starts([away, away, away], 10_000);
    const gaps = at.slice(1).map((t, i) => t - (at[i] ?? 0));
    expect(gaps.length).toBe(3);
    gaps.forEach((gap, i) => {
      expect(gap).toBeGreaterThanOrEqual(500 * 2 ** i);
      expect(gap).toBeLessThanOrEqual(1_000 * 2 ** i);
    });
  });

  test("a transient failure waits half a minute, a structural one five", async () => {
    const transient = await starts([new Failure("transient", "Down", "m")], 400_000);
    expect(transient.at[1]).toBeGreaterThanOrEqual(24_000);
    expect(transient.at[1]).toBeLessThanOrEqual(30_000);
    const structural = await starts([new Failure("structural", "NoClass", "m")], 400_000);
    expect(structural.at[1]).toBeGreaterThanOrEqual(270_000);
    expect(structural.at[1]).toBeLessThanOrEqual(300_000);
  });

  test("a terminal failure waits for an edit, however long", async () => {
    const failing = setup({
      reconcile: async () => {
        throw new Failure("terminal", "BadCron", "m");
      },
    });
    failing.start();
    failing.controller.enqueue(key("a"));
    await failing.clock.advance(86_400_000);
    expect(failing.results).toEqual(["terminal"]);
    failing.controller.enqueue(key("a"));
    await failing.clock.advance(0);
    expect(failing.results).toEqual(["terminal", "terminal"]);
  });

  test("a failure is logged with the object's key, its class and reason, and when it is tried again", async () => {
    const lines: LogFields[] = [];
    const logger = (shared: LogFields): Logger => ({
      ...silentLogger,
      warn: (fields) => void lines.push({ ...shared, ...fields }),
      error: (fields) => void lines.push({ ...shared, ...fields }),
      child: (fields) => logger({ ...shared, ...fields }),
    });
    const failures = [
      new Failure("transient", "Down", "it is away"),
      new Failure("terminal", "BadCron", "m"),
    ];
    const world = setup({
      log: logger({}),
      reconcile: async () => {
        throw failures.shift();
      },
    });
    world.start();
    world.controller.enqueue(key("a"));
    await world.clock.advance(30_000);
    const object = { controller: "mirror", key: "ns/a" };
    expect(lines).toEqual([
      { ...object, class: "transient", reason: "Down", error: "it is away", delayMs: expect.any(Number) },
      { ...object, class: "terminal", reason: "BadCron", error: "m" },
    ]);
  });

  test("a reconcile that takes too long is aborted, and counts as transient", async () => {
    const world = setup({
      deadline: 5_000,
      reconcile: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("closed early")));
        }),
    });
    world.start();
    world.controller.enqueue(key("a"));
    await world.clock.advance(4_999);
    expect([world.results, world.controller.queue.longestRunning]).toEqual([[], 4_999]);
    await world.clock.advance(1);
    expect(world.results).toEqual(["transient"]);
  });

  test("no more run at once than asked for", async () => {
    let running = 0;
    let most = 0;
    const world = setup({
      concurrency: 3,
      reconcile: async () => {
        most = Math.max(most, ++running);
        await new Promise<void>((resolve) => void world.clock.after(10, resolve));
        running--;
        return done;
      },
    });
    world.start();
    for (let i = 0; i < 20; i++) world.controller.enqueue(key(`k${i}`));
    await world.clock.advance(1_000);
    expect([most, world.results.length]).toEqual([3, 20]);
  });
});

describe("stopping", () => {
  function slow(ms: number) {
    const ends: string[] = [];
    const world = setup({
      grace: 1_000,
      reconcile: async (_, signal) => {
        await new Promise<void>((resolve, reject) => {
          world.clock.after(ms, resolve);
          signal.addEventListener("abort", () => reject(signal.reason));
        }).then(
          () => ends.push("finished"),
          () => ends.push("aborted"),
        );
        signal.throwIfAborted();
        return done;
      },
    });
    world.start();
    world.controller.enqueue(key("a"));
    world.controller.enqueue(key("b"));
    return { ...world, ends };
  }

  test("a reconcile in the middle may finish; what waits is not begun", async () => {
    const { clock, stop, state, ends } = slow(900);
    await clock.advance(100);
    stop.abort(new Error("SIGTERM"));
    await clock.advance(799);
    expect([ends, state.ended]).toEqual([[], false]);
    await clock.advance(1);
    expect([ends, state.ended]).toEqual([["finished"], true]);
  });

  test("a reconcile that does not finish within the grace is aborted", async () => {
    const { clock, stop, state, ends, results } = slow(60_000);
    await clock.advance(100);
    stop.abort(new Error("SIGTERM"));
    await clock.advance(1_000);
    expect([ends, results, state.ended]).toEqual([["aborted"], ["aborted"], true]);
  });

  test("a halt leaves no grace, and nothing new is begun", async () => {
    const { clock, halt, ends, results } = slow(60_000);
    await clock.advance(100);
    halt.abort(new LeadershipLost("gone"));
    await clock.advance(60_000);
    expect([ends, results]).toEqual([["aborted"], ["aborted"]]);
  });

  test("a halt cuts the grace short", async () => {
    const { clock, stop, halt, state, ends } = slow(60_000);
    await clock.advance(100);
    stop.abort(new Error("SIGTERM"));
    await clock.advance(500);
    expect(ends).toEqual([]);
    halt.abort(new LeadershipLost("gone"));
    await clock.advance(0);
    expect([ends, state.ended]).toEqual([["aborted"], true]);
  });

  test("nothing is begun once this process no longer leads, before anything has said so", async () => {
    const reconciled: string[] = [];
    let leads = true;
    const reconcile = async (key: ObjectKey) => {
      reconciled.push(key);
      return done;
    };
    const world = setup({ reconcile, isLeader: () => leads });
    world.start();
    world.controller.enqueue(key("a"));
    await world.clock.advance(0);
    leads = false;
    world.controller.enqueue(key("b"));
    await world.clock.advance(1_000);
    expect(reconciled).toEqual(["ns/a"]);
  });

  test("run does not resolve while a reconcile ignores its signal", async () => {
    const world = setup({ grace: 1_000, reconcile: () => new Promise(() => {}) });
    world.start();
    world.controller.enqueue(key("a"));
    await world.clock.advance(0);
    world.stop.abort();
    await world.clock.advance(3_600_000);
    expect(world.state.ended).toBe(false);
    expect(world.controller.queue.inFlight).toEqual(["ns/a"]);
  });

  test("the caches are no longer watched afterwards", async () => {
    const world = setup({ reconcile: async () => done });
    const cache = new HandFedCache();
    cache.sync();
    world.controller.watch(cache);
    world.start();
    await world.clock.advance(0);
    expect(cache.watched).toBe(true);
    world.stop.abort();
    await world.clock.advance(0);
    expect([cache.watched, world.state.ended, world.clock.pendingTimers]).toEqual([false, true, 0]);
  });

  test("a controller whose caches never sync can be stopped", async () => {
    const world = setup({ reconcile: async () => done });
    world.controller.watch(new HandFedCache());
    world.start();
    await world.clock.advance(0);
    world.stop.abort();
    await world.clock.advance(0);
    expect([world.state.ended, world.state.ready]).toEqual([true, false]);
  });
});
