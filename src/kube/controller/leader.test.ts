import { describe, expect, test } from "vitest";
import { HttpFailure } from "../../lib/http.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { type Lease, Leases } from "../builtin.ts";
import { LeadershipLost, ShutdownTimeout } from "../runnable.ts";
import { MemoryObjects } from "../testing/memory_objects.ts";
import { LeaderElector, type LeaderElectorOptions } from "./leader.ts";

const lease = { namespace: "holdfast", name: "operator" };

function world() {
  const clock = new VirtualClock();
  const objects = new MemoryObjects();
  const read = (): Promise<Lease> => objects.get(Leases, lease);
  const write = async (spec: Lease["spec"]) => objects.update(Leases, { ...(await read()), spec } as Lease);
  const candidate = (identity: string, options: Partial<LeaderElectorOptions> = {}) => {
    const stop = new AbortController();
    const elector = new LeaderElector({
      client: objects,
      clock,
      random: seededRandom(1),
      lease,
      identity,
      ...options,
    });
    const state: { ready: boolean; ended: "no" | "stopped" | Error } = { ready: false, ended: "no" };
    elector
      .run(stop.signal, () => {
        state.ready = true;
      })
      .then(
        () => {
          state.ended = "stopped";
        },
        (error) => {
          state.ended = error;
        },
      );
    return { elector, stop, state };
  };
  return { clock, objects, read, write, candidate };
}

describe("acquiring", () => {
  test("the first candidate creates the lease, with times that the API server accepts", async () => {
    const { clock, read, candidate } = world();
    const a = candidate("a");
    await clock.advance(0);
    expect([a.state.ready, a.elector.isLeader(), a.elector.holder]).toEqual([true, true, "a"]);
    expect((await read()).spec).toEqual({
      holderIdentity: "a",
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:00.000000Z",
    });
  });

  test("a second candidate waits as long as the first renews", async () => {
    const { clock, candidate } = world();
    const a = candidate("a");
    await clock.advance(0);
    const b = candidate("b");
    await clock.advance(300_000);
    expect([a.elector.isLeader(), b.elector.isLeader(), b.state.ready]).toEqual([true, false, false]);
    expect(b.elector.holder).toBe("a");
  });

  test("an abandoned lease is taken over once it has been seen unchanged for its whole duration", async () => {
    const { clock, candidate, objects, read } = world();
    // Long ago or far in the future by its own words: neither counts.
    const renewTime = "2031-01-01T00:00:00.000000Z";
    await objects.create(Leases, {
      metadata: lease,
      spec: { holderIdentity: "gone", leaseDurationSeconds: 30, leaseTransitions: 4, renewTime },
    });
    const b = candidate("b");
    await clock.advance(29_999);
    expect(b.elector.isLeader()).toBe(false);
    await clock.advance(3_000);
    expect(b.elector.isLeader()).toBe(true);
    expect((await read()).spec?.leaseTransitions).toBe(5);
  });

  test("an edit of the lease's labels is no sign of life", async () => {
    const { clock, candidate, objects, read } = world();
    await objects.create(Leases, {
      metadata: lease,
      spec: { holderIdentity: "gone", leaseDurationSeconds: 15 },
    });
    const b = candidate("b");
    await clock.advance(10_000);
    const found = await read();
    await objects.update(Leases, { ...found, metadata: { ...found.metadata, labels: { a: "b" } } });
    await clock.advance(7_500);
    expect(b.elector.isLeader()).toBe(true);
  });

  test("renewals are signs of life even while the holder's wall clock stands still", async () => {
    const { clock, candidate } = world();
    const frozen = { now: () => 0, monotonic: () => clock.monotonic(), after: clock.after.bind(clock) };
    const a = candidate("a", { clock: frozen });
    await clock.advance(0);
    const b = candidate("b");
    await clock.advance(60_000);
    expect([a.elector.isLeader(), b.elector.isLeader()]).toEqual([true, false]);
  });

  test("a claim whose answer was lost is found and kept", async () => {
    const { clock, objects, candidate } = world();
    let answers = 0;
    const client = {
      get: objects.get.bind(objects),
      update: objects.update.bind(objects),
      create: async (...args: Parameters<typeof objects.create>) => {
        await objects.create(...args);
        if (answers++ === 0) throw new HttpFailure("reset", { code: "ECONNRESET", sent: true });
      },
    } as LeaderElectorOptions["client"];
    const a = candidate("a", { client });
    await clock.advance(3_000);
    expect(a.elector.isLeader()).toBe(true);
  });

  test("durations that would allow two leaders are refused", () => {
    const { candidate } = world();
    expect(() => candidate("a", { leaseDuration: 10_000, renewDeadline: 10_000 })).toThrow(
      "leader election needs 0 < retryPeriod < renewDeadline < leaseDuration",
    );
  });
});

describe("stopping", () => {
  test("a leader that stops lets go, and the next takes over within a retry period", async () => {
    const { clock, candidate, read } = world();
    const a = candidate("a");
    await clock.advance(0);
    const b = candidate("b");
    await clock.advance(20_000);
    a.stop.abort();
    await clock.advance(0);
    expect([a.state.ended, a.elector.isLeader()]).toEqual(["stopped", false]);
    expect((await read()).spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
    await clock.advance(2_400);
    expect(b.elector.isLeader()).toBe(true);
    expect((await read()).spec).toMatchObject({ holderIdentity: "b", leaseDurationSeconds: 15 });
  });

  test("a candidate that stops leaves the leader alone", async () => {
    const { clock, candidate } = world();
    const a = candidate("a");
    await clock.advance(0);
    const b = candidate("b");
    await clock.advance(5_000);
    b.stop.abort();
    await clock.advance(20_000);
    expect([b.state.ended, a.elector.isLeader()]).toEqual(["stopped", true]);
    a.stop.abort();
    await clock.advance(0);
    expect(clock.pendingTimers).toBe(0);
  });

  test("a candidate that was stopped claims nothing, though the answer to its look comes afterwards", async () => {
    const { clock, objects, candidate } = world();
    const late = Promise.withResolvers<void>();
    const client = {
      create: objects.create.bind(objects),
      update: objects.update.bind(objects),
      get: (...args: Parameters<typeof objects.get>) => late.promise.then(() => objects.get(...args)),
    } as LeaderElectorOptions["client"];
    const a = candidate("a", { client });
    await clock.advance(0);
    a.stop.abort();
    late.resolve();
    await clock.advance(0);
    expect(a.state.ended).toBe("stopped");
    await expect(objects.get(Leases, lease)).rejects.toThrow();
  });

  test("a leader whose work did not end in time keeps the lease from others until it expires", async () => {
    const { clock, candidate, read } = world();
    const a = candidate("a");
    await clock.advance(0);
    a.stop.abort(new ShutdownTimeout("still busy"));
    await clock.advance(0);
    expect(a.state.ended).toBe("stopped");
    expect((await read()).spec?.holderIdentity).toBe("a");
  });
});

describe("losing", () => {
  test("a leader that finds another holder stops at once", async () => {
    const { clock, candidate, read, write } = world();
    const a = candidate("a");
    await clock.advance(1_000);
    await write({ ...(await read()).spec, holderIdentity: "thief" });
    await clock.advance(2_400);
    expect(a.state.ended).toEqual(
      new LeadershipLost(
        "lost the lease holdfast/operator: its holder is thief now; restarting as a candidate",
      ),
    );
    expect(a.elector.isLeader()).toBe(false);
  });

  test("a leader survives an edit of the lease that leaves it the holder", async () => {
    const { clock, candidate, read, write } = world();
    const a = candidate("a");
    await clock.advance(1_000);
    await write({ ...(await read()).spec, leaseTransitions: 9 });
    await clock.advance(60_000);
    expect([a.elector.isLeader(), a.state.ended]).toEqual([true, "no"]);
  });

  test("a leader that gets no answers stops before others may take over, though its calls never end", async () => {
    const { clock, candidate, objects } = world();
    let stalled = false;
    const client = {
      get: objects.get.bind(objects),
      create: objects.create.bind(objects),
      update: (...args: Parameters<typeof objects.update>) =>
        stalled ? new Promise<never>(() => {}) : objects.update(...args),
    } as LeaderElectorOptions["client"];
    const a = candidate("a", { client });
    await clock.advance(0);
    stalled = true;
    await clock.advance(9_999);
    expect(a.elector.isLeader()).toBe(true);
    await clock.advance(1);
    expect(a.elector.isLeader()).toBe(false);
    expect(a.state.ended).toBeInstanceOf(LeadershipLost);
    expect(String(a.state.ended)).toContain("could not be renewed for 10 s (the request for the lease");
  });

  test("a leader that was paused knows at once, before any of its timers fires", async () => {
    const { clock, candidate } = world();
    let skipped = 0;
    const paused = {
      now: () => clock.now() + skipped,
      monotonic: () => clock.monotonic() + skipped,
      after: clock.after.bind(clock),
    };
    const a = candidate("a", { clock: paused });
    await clock.advance(0);
    skipped = 10_000;
    expect(a.elector.isLeader()).toBe(false);
    await clock.advance(2_400);
    expect(String(a.state.ended)).toContain("this process did not run");
  });

  test("a leader whose renewal is answered after its deadline stays none", async () => {
    const { clock, objects, candidate } = world();
    let skipped = 0;
    const paused = {
      now: () => clock.now() + skipped,
      monotonic: () => clock.monotonic() + skipped,
      after: clock.after.bind(clock),
    };
    const client = {
      get: objects.get.bind(objects),
      create: objects.create.bind(objects),
      // The renewal arrives, and the process is paused before the answer does.
      update: async (...args: Parameters<typeof objects.update>) => {
        const renewed = await objects.update(...args);
        skipped = 9_000;
        return renewed;
      },
    } as LeaderElectorOptions["client"];
    const a = candidate("a", { client, clock: paused });
    await clock.advance(2_400);
    expect(skipped).toBe(9_000);
    expect(a.elector.isLeader()).toBe(false);
    await clock.advance(2_400);
    expect(a.state.ended).toBeInstanceOf(LeadershipLost);
    expect(String(a.state.ended)).toContain("this process did not run");
  });
});
