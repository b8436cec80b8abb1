import { describe, expect, test } from "vitest";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { Leases } from "../builtin.ts";
import { LeadershipLost, type Runnable, ShutdownTimeout } from "../runnable.ts";
import { MemoryObjects } from "../testing/memory_objects.ts";
import { LeaderElector } from "./leader.ts";
import { Manager } from "./manager.ts";

function setup() {
  const clock = new VirtualClock();
  const story: string[] = [];
  const manager = new Manager({ clock, shutdownDeadline: 10_000 });
  const stop = new AbortController();
  const result: { ended: "no" | "stopped" | unknown } = { ended: "no" };
  /** A part that is ready, fails and stops when told, and writes down what happens. */
  const part = (name: string, options: { ready?: boolean; stops?: boolean } = {}) => {
    const { ready: readyAtOnce = true, stops = true } = options;
    const end = Promise.withResolvers<void>();
    let signalReady = () => {};
    const runnable: Runnable = {
      name,
      run(signal, ready, halt) {
        story.push(`+${name}`);
        halt.addEventListener("abort", () => story.push(`!${name}`));
        signalReady = ready;
        if (readyAtOnce) ready();
        signal.addEventListener("abort", () => {
          story.push(`-${name}`);
          if (stops) end.resolve();
        });
        return end.promise;
      },
    };
    return { runnable, ready: () => signalReady(), end };
  };
  const run = () => {
    manager.run(stop.signal).then(
      () => {
        result.ended = "stopped";
      },
      (error) => {
        result.ended = error;
      },
    );
  };
  return { clock, story, manager, stop, result, part, run };
}

describe("starting and stopping", () => {
  test("each group waits for the one before, and they stop in reverse", async () => {
    const { clock, story, manager, stop, result, part, run } = setup();
    const caches = part("caches", { ready: false });
    manager.add("elected", part("controller").runnable);
    manager.add("caches", caches.runnable);
    manager.add("servers", part("health").runnable, part("metrics").runnable);
    run();
    await clock.advance(60_000);
    expect(story).toEqual(["+health", "+metrics", "+caches"]);
    expect(manager.states().map(({ name, state }) => `${name} ${state}`)).toEqual([
      "controller waiting",
      "caches starting",
      "health running",
      "metrics running",
    ]);
    caches.ready();
    await clock.advance(0);
    expect(story.at(-1)).toBe("+controller");
    stop.abort(new Error("SIGTERM"));
    await clock.advance(0);
    expect(story.slice(4)).toEqual(["-controller", "-caches", "-health", "-metrics"]);
    expect([result.ended, clock.pendingTimers]).toEqual(["stopped", 0]);
  });

  test("a stop during the start begins nothing new", async () => {
    const { clock, story, manager, stop, result, part, run } = setup();
    manager.add("caches", part("caches", { ready: false }).runnable);
    manager.add("elected", part("controller").runnable);
    run();
    await clock.advance(0);
    stop.abort();
    await clock.advance(0);
    expect([story, result.ended]).toEqual([["+caches", "-caches"], "stopped"]);
  });

  test("a manager that is told to stop before it starts ends at once", async () => {
    const { clock, manager, stop, result, part, run } = setup();
    manager.add("elected", part("controller").runnable);
    stop.abort();
    run();
    await clock.advance(0);
    expect(result.ended).toBe("stopped");
  });
});

describe("failures", () => {
  test("a part that fails stops all others, and its failure is the reason", async () => {
    const { clock, story, manager, result, part, run } = setup();
    const server = part("server");
    manager.add("servers", server.runnable).add("elected", part("controller").runnable);
    run();
    await clock.advance(0);
    const failure = new Error("the port is taken");
    server.end.reject(failure);
    await clock.advance(0);
    expect(result.ended).toBe(failure);
    expect(story.at(2)).toBe("-controller");
    expect(manager.states().find(({ name }) => name === "server")?.state).toBe("failed");
  });

  test("a part that ends unasked counts as failed", async () => {
    const { clock, manager, result, part, run } = setup();
    const cache = part("informers");
    manager.add("caches", cache.runnable);
    run();
    await clock.advance(0);
    cache.end.resolve();
    await clock.advance(0);
    expect(String(result.ended)).toBe("RunnableFailed: caches/informers ended without being asked to");
  });

  test("a part that throws before it is ready keeps the next group from starting", async () => {
    const { clock, story, manager, result, part, run } = setup();
    const broken: Runnable = {
      name: "broken",
      run() {
        throw new Error("no certificate");
      },
    };
    manager.add("webhooks", broken).add("caches", part("caches").runnable);
    run();
    await clock.advance(0);
    expect([String(result.ended), story]).toEqual(["Error: no certificate", []]);
  });

  test("parts that do not stop in time are named", async () => {
    const { clock, manager, stop, result, part, run } = setup();
    manager.add("elected", part("stubborn", { stops: false }).runnable, part("polite").runnable);
    run();
    await clock.advance(0);
    stop.abort();
    await clock.advance(9_999);
    expect([result.ended, manager.stopping]).toEqual(["no", true]);
    await clock.advance(1);
    expect(result.ended).toEqual(new ShutdownTimeout("still running 10 s after the order to stop: stubborn"));
  });
});

describe("leadership", () => {
  async function elected(options: { stops?: boolean } = {}) {
    const world = setup();
    const objects = new MemoryObjects();
    const lease = { namespace: "holdfast", name: "operator" };
    const { clock } = world;
    const elector = new LeaderElector({
      client: objects,
      clock,
      random: seededRandom(1),
      lease,
      identity: "me",
    });
    world.manager.add("leader", elector).add("elected", world.part("controller", options).runnable);
    world.run();
    await clock.advance(5_000);
    const holder = async () => (await objects.get(Leases, lease)).spec?.holderIdentity;
    return { ...world, objects, lease, holder };
  }

  test("the lease is released only after the elected parts have stopped", async () => {
    const { clock, story, stop, holder, result } = await elected();
    expect([story, await holder()]).toEqual([["+controller"], "me"]);
    stop.abort();
    await clock.advance(0);
    expect([story, await holder(), result.ended]).toEqual([["+controller", "-controller"], "", "stopped"]);
  });

  test("the lease is not released while an elected part still runs", async () => {
    const { clock, stop, holder, result } = await elected({ stops: false });
    stop.abort();
    await clock.advance(60_000);
    expect(result.ended).toBeInstanceOf(ShutdownTimeout);
    expect(await holder()).toBe("me");
    expect(clock.pendingTimers).toBe(0);
  });

  test("losing the lease stops everything, with that reason", async () => {
    const { clock, story, objects, lease, result } = await elected();
    const found = await objects.get(Leases, lease);
    await objects.update(Leases, { ...found, spec: { ...found.spec, holderIdentity: "thief" } });
    await clock.advance(3_000);
    expect(result.ended).toBeInstanceOf(LeadershipLost);
    expect(story).toEqual(["+controller", "!controller", "-controller"]);
  });

  test("losing the lease in the middle of a stop halts what still winds down", async () => {
    const { clock, story, stop, objects, lease } = await elected({ stops: false });
    stop.abort();
    await clock.advance(0);
    const found = await objects.get(Leases, lease);
    await objects.update(Leases, { ...found, spec: { ...found.spec, holderIdentity: "thief" } });
    await clock.advance(3_000);
    expect(story).toEqual(["+controller", "-controller", "!controller"]);
  });
});
