import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ConfigMap, ConfigMaps, type Job, Jobs, Pods } from "../../../kube/builtin.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { OWNER_LABEL, POOL_LABEL, SEAT_LABEL } from "../run_labels.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../run_record.ts";
import { CachedObjects } from "../session/testing/cached_objects.ts";
import { type Claimant, type Place, RANKS } from "./place.ts";
import type { QueueLimits } from "./repository_queue.ts";
import { RepositoryQueues, type Turn } from "./repository_queues.ts";

const POOL = "pool-1";
const OPEN: QueueLimits = { maxRuns: 2, breaker: "Closed" };

const meta = (name: string, more: object = {}) => ({
  name,
  namespace: "shop",
  uid: name,
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
  ...more,
});

/** Owners keep their records in ConfigMaps; a repository is one too. */
class World {
  readonly clock = new VirtualClock();
  readonly jobs = new CachedObjects(Jobs);
  readonly owners = new CachedObjects(ConfigMaps);
  readonly repositories = new CachedObjects(ConfigMaps);
  woken: string[] = [];
  told = 0;
  terms = OPEN;
  queues = this.#operator();
  #end = this.queues.start();

  #operator(): RepositoryQueues {
    const queues = new RepositoryQueues({
      caches: { jobs: this.jobs, pods: new CachedObjects(Pods) },
      clock: this.clock,
      maxRuns: 10,
      home: "holdfast",
    });
    queues.recordHolders({
      cache: this.owners,
      records: ({ data }: ConfigMap) => Object.values(data ?? {}).map((text) => JSON.parse(text)),
      wake: (key: ObjectKey) => void this.woken.push(key),
    });
    queues.repositories({ cache: this.repositories, terms: () => this.terms, wake: () => void this.told++ });
    return queues;
  }

  restart(): void {
    this.#end();
    this.queues = this.#operator();
    this.#end = this.queues.start();
  }

  setTerms(terms: QueueLimits): void {
    this.terms = terms;
    this.repositories.put({ apiVersion: "v1", kind: "ConfigMap", metadata: meta(POOL) });
  }

  recordOf(name: string): RunRecord | undefined {
    const text = this.owners.get(keyOf({ namespace: "shop", name }))?.data?.record;
    return text ? JSON.parse(text) : undefined;
  }

  keep(name: string, record: Partial<RunRecord>): void {
    const data = { record: JSON.stringify({ ...FIRST_ATTEMPT, ...record }) };
    this.owners.put({ apiVersion: "v1", kind: "ConfigMap", metadata: meta(name), data });
  }

  /** Asks, without writing the answer down. */
  ask(name: string, claimant: Partial<Claimant> = {}): Turn {
    return this.queues.ask({
      owner: name,
      pool: POOL,
      terms: this.terms,
      claimant: { rank: RANKS.backup, tenant: "shop/data", ...claimant },
      place: this.recordOf(name)?.place,
    });
  }

  /** Asks, and the answer is written down. Whether there is a seat. */
  come(name: string, claimant: Partial<Claimant> = {}): boolean {
    const { place } = this.ask(name, claimant);
    this.keep(name, { place });
    return place.seated === true;
  }

  end(name: string, record: Partial<RunRecord> = {}): void {
    this.keep(name, { outcome: "Succeeded", ...record });
  }

  /** An owner that says nothing of a place, and its Job. */
  works(name: string): void {
    this.keep(name, {});
    this.jobs.put(this.job(name));
  }

  job(name: string, more: Partial<Job> = {}): Job {
    const labels = { [POOL_LABEL]: POOL, [OWNER_LABEL]: name };
    return { apiVersion: "batch/v1", kind: "Job", metadata: meta(`job-${name}`, { labels }), ...more };
  }
}

const finished: Partial<Job> = { status: { conditions: [{ type: "Complete", status: "True" }] } };

describe("Pools: an owner with several seats", () => {
  const claimant = { rank: RANKS.restore, tenant: "shop/again" };
  /** Asks for these seats of one owner, one after the other, and keeps the answers together. */
  function take(world: World, seats: readonly string[], known: Readonly<Record<string, Place>> = {}) {
    const places: Record<string, Place> = {};
    for (const slot of seats) {
      const place = known[slot];
      places[slot] = world.queues.ask({
        owner: "again",
        slot,
        pool: POOL,
        terms: OPEN,
        claimant,
        place,
      }).place;
    }
    const data = Object.entries(places).map(
      ([slot, place]) => [slot, JSON.stringify({ ...FIRST_ATTEMPT, place })] as const,
    );
    const metadata = meta("again");
    world.owners.put({ apiVersion: "v1", kind: "ConfigMap", metadata, data: Object.fromEntries(data) });
    return places;
  }
  const seated = (places: Readonly<Record<string, Place>>) =>
    Object.keys(places).filter((slot) => places[slot]?.seated);

  test("has as many of them as there is room for, and the others wait", () => {
    const world = new World();
    world.setTerms(OPEN);
    const places = take(world, ["a", "b", "c"]);
    expect(seated(places)).toEqual(["a", "b"]);
    expect(world.queues.count(POOL)).toEqual({ running: 2, waiting: 1 });
    expect(world.come("other")).toBe(false);
    world.restart();
    expect(world.queues.count(POOL)).toEqual({ running: 2, waiting: 2 });
  });

  test("gives back one when the run of that one has ended, and is called for the next", () => {
    const world = new World();
    world.setTerms(OPEN);
    const places = take(world, ["a", "b", "c"]);
    world.woken = [];
    const left = take(world, ["b", "c"], places);
    expect(seated(left)).toEqual(["b"]);
    expect(world.woken).toContain(keyOf({ namespace: "shop", name: "again" }));
    expect(seated(take(world, ["b", "c"], left))).toEqual(["b", "c"]);
    expect(world.queues.count(POOL)).toEqual({ running: 2, waiting: 0 });
  });

  const jobAt = (world: World, slot: string, more: Partial<Job> = {}): Job => {
    const labels = { [POOL_LABEL]: POOL, [OWNER_LABEL]: "again", [SEAT_LABEL]: slot };
    return { ...world.job("again", more), metadata: meta(`job-${slot}`, { labels }) };
  };

  test("keeps each of them as long as its Job works, also when its record tells of no place any more", () => {
    const world = new World();
    world.setTerms(OPEN);
    take(world, ["a", "b"]);
    for (const slot of ["a", "b"]) world.jobs.put(jobAt(world, slot));
    world.keep("again", {});
    expect(world.queues.count(POOL).running).toBe(2);
    expect(world.come("other")).toBe(false);
    world.jobs.put(jobAt(world, "a", finished));
    expect(world.queues.count(POOL).running).toBe(1);
    expect(world.come("other")).toBe(true);
    world.jobs.put(jobAt(world, "b", finished));
    expect(world.queues.count(POOL).running).toBe(1);
  });

  test("keeps none for a Job that has ended, though it changed after its record told of no place any more", () => {
    const world = new World();
    world.setTerms(OPEN);
    take(world, ["a"]);
    world.jobs.put(jobAt(world, "a"));
    world.keep("again", {});
    world.jobs.put(jobAt(world, "a", { status: { active: 1 } }));
    expect(world.queues.count(POOL).running).toBe(1);
    world.jobs.put(jobAt(world, "a", finished));
    expect(world.queues.count(POOL)).toEqual({ running: 0, waiting: 0 });
    expect(world.come("m", { rank: RANKS.maintenance, exclusive: true })).toBe(true);
  });

  test("has one for a Job that changed once its record told of its place", () => {
    const world = new World();
    world.setTerms(OPEN);
    world.keep("again", {});
    world.jobs.put(jobAt(world, "a"));
    take(world, ["a"]);
    world.jobs.put(jobAt(world, "a", { status: { active: 1 } }));
    expect(world.queues.count(POOL).running).toBe(1);
    world.jobs.put(jobAt(world, "a", finished));
    world.end("again");
    expect(world.queues.count(POOL)).toEqual({ running: 0, waiting: 0 });
  });

  test("has no more than its records name, whatever labels somebody writes", () => {
    const world = new World();
    world.setTerms(OPEN);
    world.keep("again", {});
    for (const slot of ["a", "b", "c"]) world.jobs.put(jobAt(world, slot));
    expect(world.queues.count(POOL).running).toBe(1);
    for (const slot of ["a", "b", "c"]) world.jobs.put(jobAt(world, slot, finished));
    expect(world.queues.count(POOL)).toEqual({ running: 0, waiting: 0 });
  });
});

describe("Pools", () => {
  test("gives as many seats as the repository has, and the others wait", () => {
    const world = new World();
    expect(["a", "b", "c"].map((name) => world.come(name))).toEqual([true, true, false]);
    expect(world.queues.count(POOL)).toEqual({ running: 2, waiting: 1 });
    expect(world.ask("d")).toMatchObject({ running: 2, waiting: 1 });
  });

  test("a seat that was given counts before any cache shows it", () => {
    const world = new World();
    expect(["a", "b", "c"].map((name) => world.ask(name).place.seated ?? false)).toEqual([true, true, false]);
  });

  test("a seat that was given and never written down is free again after a while", async () => {
    const world = new World();
    world.ask("a");
    world.ask("b");
    await world.clock.advance(31_000);
    expect(world.come("c")).toBe(true);
  });

  test("when a seat gets free the next one is woken, and nobody else", () => {
    const world = new World();
    world.setTerms(OPEN);
    for (let i = 0; i < 1000; i++) world.come(`b${String(i).padStart(4, "0")}`);
    world.woken = [];
    world.end("b0000");
    expect(new Set(world.woken)).toEqual(new Set(["shop/b0002"]));
    expect(world.come("b0002")).toBe(true);
  });

  test("one that is called and does not come is passed over, until it does", async () => {
    const world = new World();
    world.setTerms(OPEN);
    for (const name of ["a", "b", "c", "d"]) world.come(name);
    world.end("a");
    expect(world.come("d")).toBe(false);
    await world.clock.advance(11_000);
    expect(world.woken.at(-1)).toBe("shop/d");
    expect(world.come("d")).toBe(true);
    world.end("b");
    expect(world.come("c")).toBe(true);
  });

  test("a Job or pod that is there holds a seat, whatever its owner says, until it has ended", () => {
    const world = new World();
    world.works("x");
    world.works("y");
    expect(world.come("a")).toBe(false);
    world.jobs.put(world.job("x", finished));
    expect(world.come("a")).toBe(true);
  });

  test("it does so after a restart, and after its owner has gone", () => {
    const world = new World();
    world.works("x");
    world.works("y");
    world.restart();
    expect(world.come("a")).toBe(false);
    world.owners.remove({ apiVersion: "v1", kind: "ConfigMap", metadata: meta("x") });
    expect(world.come("a")).toBe(false);
    world.jobs.put(world.job("x", finished));
    expect(world.come("a")).toBe(true);
  });

  test.each(["before", "after"])("one with our labels, of nobody that is known %s, holds none", (when) => {
    const world = new World();
    const elsewhere = { ...world.job("x").metadata, namespace: "attic" };
    if (when === "before") world.keep("x", {});
    for (const name of ["y", "z"]) world.jobs.put(world.job(name));
    world.jobs.put(world.job("x", { metadata: elsewhere }));
    if (when === "after") world.keep("x", {});
    expect(world.queues.count(POOL)).toEqual({ running: 0, waiting: 0 });
    expect(world.come("m", { rank: RANKS.maintenance, exclusive: true })).toBe(true);
  });

  test("one whose labels are changed gives its seat back", () => {
    const world = new World();
    world.works("x");
    const job = world.job("x");
    const labels = { ...job.metadata.labels, [POOL_LABEL]: "pool-2" };
    world.jobs.put({ ...job, metadata: { ...job.metadata, labels } });
    expect([POOL, "pool-2"].map((pool) => world.queues.count(pool).running)).toEqual([0, 1]);
  });

  test("one of an owner without a namespace holds a seat where the operator is, and nowhere else", () => {
    const world = new World();
    const { namespace: _, ...metadata } = meta("x");
    world.owners.put({ apiVersion: "v1", kind: "ConfigMap", metadata });
    const at = (namespace: string) => world.job("x", { metadata: { ...world.job("x").metadata, namespace } });
    world.jobs.put(at("attic"));
    expect(world.queues.count(POOL).running).toBe(0);
    world.jobs.put(at("holdfast"));
    expect(world.queues.count(POOL).running).toBe(1);
  });

  test("a Job that was told to end, and stays suspended, holds none", () => {
    const world = new World();
    world.works("x");
    world.works("y");
    world.jobs.put(world.job("x", { spec: { suspend: true, template: {} } }));
    expect(world.come("a")).toBe(true);
  });

  test("a run and its owner hold one seat together", () => {
    const world = new World();
    world.come("a");
    world.jobs.put(world.job("a"));
    expect(world.queues.count(POOL)).toEqual({ running: 1, waiting: 0 });
  });

  test("after a restart the same ones work and wait", () => {
    const world = new World();
    for (const name of ["a", "b", "c", "d"]) world.come(name);
    world.restart();
    expect(world.queues.count(POOL)).toEqual({ running: 2, waiting: 2 });
    expect(world.come("e")).toBe(false);
    expect(world.come("a")).toBe(true);
  });

  test("whoever waits goes before one that comes later, though a seat is free", () => {
    const world = new World();
    for (const name of ["a", "b", "c"]) world.come(name);
    world.end("a");
    expect(world.come("late")).toBe(false);
    expect(world.come("late-restore", { rank: RANKS.restore })).toBe(true);
  });

  test("the whole cluster has a limit as well, and whoever waits for it is woken elsewhere", () => {
    const world = new World();
    world.terms = { maxRuns: 100, breaker: "Closed" };
    const seats = Array.from({ length: 12 }, (_, i) => world.come(`b${i}`));
    expect(seats.filter(Boolean).length).toBe(10);
    world.woken = [];
    world.end("b0");
    expect(world.woken.length).toBeGreaterThan(0);
    expect(world.come("b10")).toBe(true);
  });

  test("more seats wake more", () => {
    const world = new World();
    world.setTerms(OPEN);
    for (const name of ["a", "b", "c", "d", "e"]) world.come(name);
    world.woken = [];
    world.setTerms({ maxRuns: 4, breaker: "Closed" });
    expect(new Set(world.woken)).toEqual(new Set(["shop/c", "shop/d"]));
  });

  describe("while the storage fails", () => {
    test("nobody begins, but for what may be the cure", () => {
      const world = new World();
      world.setTerms({ maxRuns: 2, breaker: "Open" });
      expect(world.come("a")).toBe(false);
      expect(world.come("m", { rank: RANKS.maintenance, steady: true })).toBe(true);
    });

    test("a seat that had no Job yet is given back", () => {
      const world = new World();
      world.setTerms(OPEN);
      expect(world.come("a")).toBe(true);
      world.setTerms({ maxRuns: 2, breaker: "Open" });
      expect(world.come("a")).toBe(false);
      expect(world.queues.count(POOL)).toEqual({ running: 0, waiting: 1 });
    });

    test("one at a time looks whether it is back", () => {
      const world = new World();
      world.setTerms({ maxRuns: 2, breaker: "Open" });
      for (const name of ["a", "b"]) world.come(name);
      world.woken = [];
      world.setTerms({ maxRuns: 2, breaker: "HalfOpen" });
      expect(new Set(world.woken)).toEqual(new Set(["shop/a"]));
      expect(world.come("a")).toBe(true);
      expect(world.recordOf("a")?.place?.probe).toBe(true);
      expect(world.come("b")).toBe(false);
      expect(world.come("a")).toBe(true);
    });

    describe("what must be alone is so, also where it may be the cure", () => {
      const cure = { rank: RANKS.maintenance, steady: true };
      const alone = { ...cure, exclusive: true };
      const half: QueueLimits = { maxRuns: 2, breaker: "HalfOpen" };

      test("nobody looks beside it", () => {
        const world = new World();
        world.setTerms({ maxRuns: 2, breaker: "Open" });
        expect(world.come("m", alone)).toBe(true);
        expect(world.come("a")).toBe(false);
        world.setTerms(half);
        expect(world.come("a")).toBe(false);
        world.end("m");
        expect(world.come("a")).toBe(true);
      });

      test("it does not begin beside one that looks", () => {
        const world = new World();
        world.setTerms(half);
        expect(world.come("a")).toBe(true);
        expect(world.come("m", alone)).toBe(false);
        world.end("a");
        expect(world.come("m", alone)).toBe(true);
      });

      /** Both wait until nobody works any more. */
      function bothWaiting(terms: QueueLimits, claimant: Partial<Claimant>): World {
        const world = new World();
        world.setTerms(terms);
        world.works("x");
        if (terms.maxRuns > 1) world.works("y");
        expect([world.come("m", claimant), world.come("a")]).toEqual([false, false]);
        for (const name of ["x", "y"]) world.jobs.put(world.job(name, finished));
        return world;
      }

      test("of both that wait it is the one that begins", () => {
        const world = bothWaiting(half, alone);
        expect(world.come("a")).toBe(false);
        expect(world.come("m", alone)).toBe(true);
        expect(world.come("a")).toBe(false);
      });

      test("one that looks needs a seat, too", () => {
        const world = bothWaiting({ ...half, maxRuns: 1 }, cure);
        expect(world.come("a")).toBe(false);
        expect(world.come("m", cure)).toBe(true);
      });
    });

    test("all who wait say so anew when it begins and ends", () => {
      const world = new World();
      world.setTerms(OPEN);
      for (const name of ["a", "b", "c", "d"]) world.come(name);
      world.woken = [];
      world.setTerms({ maxRuns: 2, breaker: "Open" });
      expect(world.woken).toEqual(["shop/c", "shop/d"]);
    });

    test("what its runs said of it is known, and the repository is told", () => {
      const world = new World();
      world.setTerms(OPEN);
      const at = "2026-05-24T00:00:00.000Z";
      const failed = { pool: POOL, at, failure: "Unreachable", setbacks: 2 } as const;
      const before = world.told;
      world.keep("a", { contact: failed });
      expect(world.told).toBe(before + 1);
      expect(world.queues.evidence(POOL)).toEqual({
        setbacks: [{ at: Date.parse(at), failure: "Unreachable", count: 2 }],
      });
      world.keep("a", { contact: { pool: POOL, at: "2026-05-24T00:01:00.000Z" } });
      expect(world.queues.evidence(POOL)).toEqual({
        goodAt: Date.parse("2026-05-24T00:01:00Z"),
        setbacks: [],
      });
    });
  });

  test("whatever comes, ends and restarts in whatever order: never too many, and in the end nobody waits", async () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ do: fc.constant("come" as const), who: fc.nat(11) }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant("end" as const), who: fc.nat(11) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const), who: fc.constant(0) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const world = new World();
        world.setTerms(OPEN);
        const isOver = (name: string) => world.recordOf(name)?.outcome !== undefined;
        const seated = () =>
          [...world.owners.values()].filter(({ metadata: { name } }) => world.recordOf(name)?.place?.seated);
        const come = (name: string) => {
          if (!isOver(name)) world.come(name, { tenant: `ns-${name.length}/data` });
          expect(seated().length).toBeLessThanOrEqual(2);
        };
        const end = (name: string) => world.recordOf(name)?.place?.seated && world.end(name);
        for (const { do: what, who } of steps) {
          if (what === "restart") world.restart();
          else if (what === "come") come(`b${who}`);
          else end(`b${who}`);
          await world.clock.advance(1000);
        }
        // From now on only those who are woken come.
        for (let turn = 0; world.queues.count(POOL).waiting + seated().length > 0; turn++) {
          expect(turn).toBeLessThan(100);
          for (const { metadata } of seated()) end(metadata.name);
          for (const key of world.woken.splice(0)) come(key.slice("shop/".length));
          await world.clock.advance(11_000);
        }
      }),
      { numRuns: 50 },
    );
  });
});
