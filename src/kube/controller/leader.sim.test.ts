import fc from "fast-check";
import { expect, test } from "vitest";
import type { Clock } from "../../lib/clock.ts";
import { HttpFailure } from "../../lib/http.ts";
import { type Random, seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { MemoryObjects } from "../testing/memory_objects.ts";
import { LeaderElector, type LeaderElectorOptions } from "./leader.ts";

type LeaseClient = LeaderElectorOptions["client"];

/** What all processes share: true time, the API server, chance, and whether things go wrong now. */
interface World {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly objects: MemoryObjects;
  trouble: boolean;
}

/** A process that can be stopped in its tracks, with a wall clock that is wrong and a crystal that is off by 5 %. */
class Process {
  readonly #world: World;
  readonly #skew: number;
  readonly #rate: number;
  #backlog: (() => void)[] | undefined;
  #incarnation = 0;
  #stop = new AbortController();
  readonly #id: number;
  /** Every incarnation's, also of those that have ended: they must never claim to lead again. */
  readonly electors: LeaderElector[] = [];

  constructor(world: World, id: number) {
    this.#world = world;
    this.#id = id;
    this.#skew = (world.random.next() - 0.5) * 86_400_000;
    this.#rate = 0.95 + world.random.next() * 0.1;
    this.#start();
  }

  /** Nothing of this process runs for a while; then what has come meanwhile is served in any order. */
  pause(ms: number): void {
    if (this.#backlog) return;
    this.#backlog = [];
    this.#world.clock.after(ms, () => this.#resume());
  }

  #resume(): void {
    const [late] =
      this.#backlog?.splice(Math.floor(this.#world.random.next() * this.#backlog.length), 1) ?? [];
    if (late === undefined) {
      this.#backlog = undefined;
      return;
    }
    late();
    this.#world.clock.after(0, () => this.#resume());
  }

  terminate(): void {
    if (!this.#backlog) this.#stop.abort(new Error("SIGTERM"));
  }

  #start(): void {
    this.#stop = new AbortController();
    const elector = new LeaderElector({
      client: this.#client(),
      clock: this.#clock(),
      random: this.#world.random,
      lease: { namespace: "holdfast", name: "operator" },
      identity: `${this.#id}-${this.#incarnation++}`,
    });
    const restart = () => {
      this.#world.clock.after(500, () => this.#start());
    };
    this.electors.push(elector);
    elector.run(this.#stop.signal, () => {}).then(restart, restart);
  }

  #deliver(callback: () => void): void {
    if (this.#backlog) this.#backlog.push(callback);
    else callback();
  }

  #clock(): Clock {
    const { clock } = this.#world;
    return {
      now: () => clock.now() + this.#skew,
      monotonic: () => clock.monotonic() * this.#rate,
      after: (ms, callback) => {
        let cancelled = false;
        const cancel = clock.after(ms / this.#rate, () => this.#deliver(() => cancelled || callback()));
        return () => {
          cancelled = true;
          cancel();
        };
      },
    };
  }

  #client(): LeaseClient {
    const { objects } = this.#world;
    return {
      get: (resource, name) => this.#request(() => objects.get(resource, name)),
      create: (resource, draft) => this.#request(() => objects.create(resource, draft)),
      update: (resource, object) => this.#request(() => objects.update(resource, object)),
    };
  }

  /**
   * Late, lost on the way there, lost on the way back, or never answered: and never recalled by an abort. A
   * process is most vulnerable while it waits for an answer, so that is when it is paused or told to stop.
   */
  #request<T>(send: () => Promise<T>): Promise<T> {
    const { clock, random, trouble } = this.#world;
    const fate = trouble ? random.next() : 1;
    const delay = () => (trouble ? random.next() ** 8 * 12_000 : random.next() * 50);
    if (trouble && random.next() < 0.03)
      clock.after(random.next() * 20, () => this.pause(random.next() * 30_000));
    if (trouble && random.next() < 0.02) clock.after(random.next() * 20, () => this.terminate());
    return new Promise((resolve, reject) => {
      const fail = () => reject(new HttpFailure("reset", { code: "ECONNRESET", sent: true }));
      const answer = (settle: () => void) => clock.after(delay(), () => this.#deliver(settle));
      const arrive = () => {
        send().then(
          (value) => {
            if (fate < 0.1) answer(fail);
            else if (fate > 0.13) answer(() => resolve(value));
          },
          (error) => answer(() => reject(error)),
        );
      };
      if (fate < 0.05) answer(fail);
      else clock.after(delay(), arrive);
    });
  }
}

async function simulate(seed: number): Promise<{ readonly terms: number }> {
  const random = seededRandom(seed);
  const world: World = { clock: new VirtualClock(), random, objects: new MemoryObjects(), trouble: true };
  const processes = Array.from({ length: 3 }, (_, i) => new Process(world, i));
  const leaders = () => processes.flatMap(({ electors }) => electors.filter((elector) => elector.isLeader()));
  const terms = new Set<LeaderElector>();
  const run = async (ms: number) => {
    for (let spent = 0; spent < ms; spent += 50) {
      await world.clock.advance(50);
      if (world.trouble && random.next() < 0.001) world.clock.step((random.next() - 0.5) * 1e8);
      const now = leaders();
      expect(now.length, `seed ${seed}: leaders at ${world.clock.monotonic()}`).toBeLessThanOrEqual(1);
      for (const leader of now) terms.add(leader);
    }
  };
  await run(300_000);
  world.trouble = false;
  await run(80_000);
  const settled = leaders();
  expect(settled.length, `seed ${seed}: a leader once the trouble is over`).toBe(1);
  await run(60_000);
  expect(leaders(), `seed ${seed}: the leader stays`).toEqual(settled);
  return { terms: terms.size };
}

test("through pauses, wrong clocks, late, failed and lost answers there are never two leaders, and always one in the end", async () => {
  let terms = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      terms += (await simulate(seed)).terms;
    }),
    { numRuns: 20, endOnFailure: true },
  );
  expect(terms, "terms of office in all runs").toBeGreaterThan(60);
}, 60_000);
