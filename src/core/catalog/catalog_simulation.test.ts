import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Snapshot } from "../../wire/snapshot.ts";
import { CatalogWorld, type Fault, type ListingFault } from "../testing/catalog_world.ts";
import { snapshot } from "../testing/samples.ts";
import { refreshedStatus } from "./catalog_status.ts";
import { refreshCatalog } from "./refresh_catalog.ts";
import { catalogNas, catalogOf, isFound, maker, STANDING, type Standing } from "./testing/samples.ts";

/* A repository that others use too, an operator that looks at it now and then, and whatever may go wrong with both. */

const { signal } = new AbortController();
const MINUTE = 60_000;
const LONG = process.env.HOLDFAST_LONG !== undefined;
const PER_IDENTITY = 6;
const catalog = {
  enabled: true,
  retain: { perIdentity: PER_IDENTITY, maxAgeDays: 90 },
  refreshInterval: "5m",
};
const nas = catalogNas({ spec: { catalog } });
const rootOf = ({ status }: Standing) => status?.snapshots?.[0]?.root ?? "";

type Step =
  | { readonly type: "snapshot"; readonly ours: boolean }
  /** The others: which of those that are there, counted round. */
  | { readonly type: "vanish" | "rewrite" | "forget" | "removeRow"; readonly which: number }
  | { readonly type: "loseAll" | "loseBackups" }
  | { readonly type: "wait"; readonly minutes: number }
  | { readonly type: "stale" }
  | { readonly type: "look"; readonly fault?: Fault; readonly listing?: ListingFault };

class Simulation {
  readonly world = new CatalogWorld();
  /** Complete lists without it that the operator has read, by content. */
  readonly absences = new Map<string, number>();
  #repository = nas;
  #made = 0;

  constructor() {
    this.world.namespace("billing");
  }

  get rows(): readonly Standing[] {
    return this.world.all(STANDING).filter(isFound);
  }

  async step(step: Step): Promise<void> {
    const { world } = this;
    switch (step.type) {
      case "snapshot":
        return this.#snapshot(step.ours);
      case "vanish": {
        const gone = this.#pick(world.snapshots, step.which);
        world.snapshots = world.snapshots.filter((one) => one !== gone);
        return;
      }
      case "rewrite": {
        const old = this.#pick(world.snapshots, step.which);
        this.#made += 1;
        const id = `again${this.#made}`;
        world.snapshots = world.snapshots.map((one) => (one === old ? { ...one, id } : one));
        return;
      }
      case "forget": {
        const lost = this.#pick(
          world.all(STANDING).filter((one) => !isFound(one)),
          step.which,
        );
        if (lost) world.drop(STANDING, lost);
        return;
      }
      case "removeRow": {
        const row = this.#pick(this.rows, step.which);
        if (row) world.drop(STANDING, row);
        return;
      }
      case "loseBackups":
        for (const one of world.all(STANDING)) world.drop(STANDING, one);
        return;
      case "loseAll":
        world.snapshots = [];
        return;
      case "wait":
        await world.clock.advance(step.minutes * MINUTE);
        return;
      case "stale":
        world.freeze();
        return;
      case "look":
        return this.#look(step.fault, step.listing);
    }
  }

  /** One look without any trouble. */
  async calmLook() {
    this.world.sync();
    await this.world.clock.advance(2 * MINUTE);
    return this.#refresh();
  }

  async #refresh() {
    const { room, clock } = this.world;
    const catalog = catalogOf((resource) => this.world.cache({ resource }));
    const found = await refreshCatalog(room, catalog, this.#repository, signal);
    const status = refreshedStatus(this.#repository, { asked: nas, ...found }, clock.now());
    this.#repository = { ...nas, status } as typeof nas;
    return found;
  }

  #pick<T>(items: readonly T[], which: number): T | undefined {
    return items.length === 0 ? undefined : items[which % items.length];
  }

  #snapshot(ours: boolean): void {
    this.#made += 1;
    const n = this.#made;
    const { run: _, ...foreign } = snapshot();
    const startedAt = new Date(this.world.clock.now() - 1000 + n).toISOString();
    const made: Snapshot = {
      ...foreign,
      id: `k${n}`,
      root: `root-${n}`,
      startedAt,
      ...(ours ? { run: `run-${n}` } : {}),
    };
    this.world.snapshots = [...this.world.snapshots, made];
    if (ours) this.world.put(STANDING, maker(made, `backup-${n}`));
  }

  async #look(fault: Fault | undefined, listing: ListingFault | undefined): Promise<void> {
    const { world } = this;
    const before = world.all(STANDING);
    const written = world.writes.length;
    world.plan(fault);
    world.listingFault = listing;
    const failed = await this.#refresh().then(
      () => false,
      () => true,
    );
    const broken = listing === "breaks off" ? world.snapshots.length > 2 : listing !== undefined;
    world.plan(undefined);
    world.listingFault = undefined;
    expect(world.open).toBe(0);
    if (broken) {
      expect(failed).toBe(true);
      expect(world.writes.length).toBe(written);
      return;
    }
    const listed = new Set(world.snapshots.map(({ root }) => root));
    for (const root of before.map(rootOf)) {
      this.absences.set(root, listed.has(root) ? 0 : (this.absences.get(root) ?? 0) + 1);
    }
    this.#nothingGivenUp(before, listed);
  }

  /** What the look took away was there to be seen, or had been missing before. No object of ours ever goes. */
  #nothingGivenUp(before: readonly Standing[], listed: ReadonlySet<string | undefined>): void {
    const left = new Set(this.world.all(STANDING).map(({ metadata }) => metadata.uid));
    for (const gone of before.filter(({ metadata }) => !left.has(metadata.uid))) {
      expect(isFound(gone)).toBe(true);
      const root = rootOf(gone);
      const seen = listed.has(root) || (this.absences.get(root) ?? 0) >= 2;
      expect(seen || gone.status === undefined).toBe(true);
    }
  }
}

const which = fc.nat({ max: 20 });
const fault = fc.record({ write: fc.integer({ min: 1, max: 8 }), carriedOut: fc.boolean() });
const listing = fc.constantFrom<ListingFault>("unreachable", "breaks off", "another repository");
const type = <T extends Step["type"]>(...types: readonly T[]) => fc.constantFrom(...types);
const often = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });
const steps = fc.array(
  fc.oneof(
    often(20, fc.record({ type: type("snapshot"), ours: fc.boolean() })),
    often(10, fc.record({ type: type("vanish", "rewrite", "forget", "removeRow"), which })),
    often(1, fc.record({ type: type("loseAll", "loseBackups") })),
    often(6, fc.record({ type: type("wait"), minutes: fc.nat({ max: 6 }) })),
    often(3, fc.record({ type: type("stale") })),
    often(15, fc.record({ type: type("look") })),
    often(8, fc.record({ type: type("look"), fault })),
    often(3, fc.record({ type: type("look"), listing })),
  ),
  { minLength: 20, maxLength: 60, size: "max" },
);

/** The contents whose rows should be there in the end. */
function expected(simulation: Simulation): readonly string[] {
  const { world } = simulation;
  const kept = new Set(
    world
      .all(STANDING)
      .filter((one) => !isFound(one))
      .map(rootOf),
  );
  return world.snapshots
    .filter(({ root = "" }) => !kept.has(root))
    .toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
    .slice(0, PER_IDENTITY)
    .map(({ root = "" }) => root)
    .toSorted();
}

const shown = ({ rows }: Simulation) => rows.map(rootOf).toSorted();

describe("the catalogue, whatever happens", () => {
  test("shows what is there, gives nothing up that was not seen to be gone, and comes to rest", {
    timeout: LONG ? 3_600_000 : 600_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (story) => {
        const simulation = new Simulation();
        const { world } = simulation;
        for (const step of story) await simulation.step(step);
        let decision = await simulation.calmLook();
        for (let look = 0; look < 3; look++) decision = await simulation.calmLook();

        const wanted = expected(simulation);
        if (decision.shrunk) expect(shown(simulation)).toEqual(expect.arrayContaining([...wanted]));
        else expect(shown(simulation)).toEqual(wanted);
        expect(new Set(simulation.rows.map(rootOf)).size).toBe(simulation.rows.length);
        const atRest = world.writes.length;
        await simulation.calmLook();
        expect(world.writes.length).toBe(atRest);

        const names = new Map(simulation.rows.map((row) => [rootOf(row), row.metadata.name]));
        await simulation.step({ type: "loseBackups" });
        await simulation.calmLook();
        for (const row of simulation.rows) {
          const before = names.get(rootOf(row));
          if (before !== undefined) expect(row.metadata.name).toBe(before);
        }
        expect(shown(simulation)).toEqual(expected(simulation));
      }),
      { numRuns: LONG ? 400 : 40 },
    );
  });
});
