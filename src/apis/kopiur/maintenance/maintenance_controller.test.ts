import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { maintenanceResource } from "../../../kinds/kopiur/generated/maintenance.ts";
import { repositoryResource } from "../../../kinds/kopiur/generated/repository.ts";
import { Namespaces } from "../../../kube/builtin.ts";
import { MachineClock } from "../../../lib/machine_clock.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import type { KopiurPorts } from "../ports.ts";
import { readyNas } from "../testing/samples.ts";
import { SimulatedCluster } from "../testing/simulated_cluster.ts";
import { type Fate, SimulatedOperator } from "../testing/simulated_operator.ts";
import { maintenanceControllers } from "./maintenance_controller.ts";
import { sampleMaintenance, scheduled } from "./testing/sample_maintenance.ts";
import { type MoverFate, SimulatedRuns } from "./testing/simulated_runs.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Usual runs try some histories, long ones many. */
const LONG = process.env.HOLDFAST_LONG !== undefined;

/** Operators that maintain one repository every ten minutes, and fully every hour. */
class World {
  readonly clock = new VirtualClock("2026-05-22T00:00:00Z");
  readonly cluster = new SimulatedCluster(this.clock);
  fates: Fate[] = [];
  movers: MoverFate[] = [];
  readonly runs = new SimulatedRuns(this.clock, () => this.movers.shift() ?? { ms: MINUTE, succeeds: true });
  #operators: { readonly operator: SimulatedOperator; readonly machine: MachineClock }[] = [];

  static async open(): Promise<World> {
    const world = new World();
    const { cluster } = world;
    await cluster.create(Namespaces, { metadata: { name: "billing" } });
    await world.addRepository();
    await world.addMaintenance();
    world.start();
    await world.clock.advance(0);
    return world;
  }

  async addRepository(namespace = "billing"): Promise<void> {
    const { spec, status } = readyNas();
    const metadata = { namespace, name: "nas" };
    await this.cluster.create(repositoryResource, { metadata, spec, ...(status ? { status } : {}) });
  }

  async addMaintenance(namespace = "billing"): Promise<void> {
    const metadata = { namespace, name: "nas" };
    const times = scheduled({
      quick: { cron: "*/10 * * * *", jitter: "2m" },
      full: { cron: "25 * * * *", jitter: "2m" },
    });
    const { spec } = sampleMaintenance({ spec: times });
    await this.cluster.create(maintenanceResource, { metadata, spec });
  }

  /** Another namespace has objects of its own for the same stored repository. */
  async share(namespace: string): Promise<void> {
    await this.cluster.create(Namespaces, { metadata: { name: namespace } });
    await this.addMaintenance(namespace);
    await this.addRepository(namespace);
  }

  async ask(request: string): Promise<void> {
    const name = { namespace: "billing", name: "nas" };
    const patch = { metadata: { annotations: { [ANNOTATIONS.runRequested]: request } } };
    await this.cluster.patch(maintenanceResource, name, { type: "merge", patch });
  }

  start(): void {
    const machine = new MachineClock(this.clock);
    const fate = () => this.fates.shift() ?? "answered";
    const seated = (request: { readonly claimant: object; readonly pool: string }) => ({
      place: { ...request.claimant, pool: request.pool, since: "", seated: true },
      running: 0,
      waiting: 0,
    });
    const operator = new SimulatedOperator({
      cluster: this.cluster,
      clock: machine,
      fate,
      controllers: (ports) =>
        maintenanceControllers({
          ...ports,
          tasks: this.runs.tasks(machine, fate),
          queues: { recordHolders: () => {}, ask: seated },
        } as unknown as KopiurPorts),
    });
    this.#operators.push({ operator, machine });
  }

  killAll(): void {
    for (const { operator } of this.#operators) operator.kill();
    this.#operators = [];
  }

  err(by: number): void {
    for (const { machine } of this.#operators) machine.err(by);
  }

  stall(): void {
    for (const { operator } of this.#operators) operator.stall();
  }

  heal(): void {
    this.fates = [];
    this.movers = [];
    this.err(0);
    for (const { operator } of this.#operators) operator.goOn();
    if (this.#operators.length === 0) this.start();
  }

  get maintenance() {
    return this.maintenanceOf("billing");
  }

  maintenanceOf(namespace: string) {
    const all = [...this.cluster.all(maintenanceResource)];
    const one = all.find(({ metadata }) => metadata.namespace === namespace);
    if (!one) throw new Error("there is no Maintenance");
    return one;
  }

  /** The movers that began, without the number of their attempt. */
  get turns(): readonly string[] {
    return this.runs.begun.map((id) => id.replace(/-\d+$/, ""));
  }
}

describe("maintenanceControllers()", () => {
  test("run at every slot, quick and full, with a check after the full ones", async () => {
    const world = await World.open();
    await world.clock.advance(6 * HOUR - 1);
    const began = (word: string) => world.turns.filter((run) => run.includes(`-${word}-`)).length;
    expect({ quick: began("quick"), full: began("full"), check: began("check") }).toEqual({
      quick: 35,
      full: 6,
      check: 6,
    });
    expect(world.runs.most).toBe(1);
    expect(world.runs.left).toBe(0);
    expect(world.maintenance.status).toMatchObject({
      phase: "Ready",
      quick: { consecutiveFailures: 0 },
      full: { lastContentReclaimedBytes: 1 },
      lastCheck: { healthy: true },
    });
  });

  test("nothing begins while the repository is gone, and nothing is done again when it is back", async () => {
    const world = await World.open();
    await world.clock.advance(35 * MINUTE);
    await world.cluster.delete(repositoryResource, { namespace: "billing", name: "nas" });
    const before = world.runs.begun.length;
    await world.clock.advance(40 * MINUTE);
    expect(world.runs.begun.length).toBe(before);
    expect(world.maintenance.status?.phase).toBe("Pending");
    await world.addRepository();
    await world.clock.advance(HOUR);
    expect(world.runs.begun.length).toBeGreaterThan(before + 5);
    expect(new Set(world.turns).size).toBe(world.turns.length);
    expect(world.runs.left).toBe(0);
  });

  test("of several objects for one stored repository one is maintained, and the next when that one is not", async () => {
    const world = await World.open();
    await world.clock.advance(MINUTE);
    await world.share("shop");
    await world.clock.advance(66 * MINUTE);
    const before = world.runs.begun.length;
    expect(before).toBeGreaterThan(5);
    const { status } = world.maintenanceOf("shop");
    expect(status).toMatchObject({ phase: "Failed" });
    expect(status?.quick?.lastRunAt ?? status?.full?.lastRunAt).toBeUndefined();
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({
        type: "Stalled",
        reason: "SharedRepository",
        message: expect.stringContaining("Maintenance billing/nas maintains that"),
      }),
    );
    await world.cluster.delete(maintenanceResource, { namespace: "billing", name: "nas" });
    await world.clock.advance(30 * MINUTE);
    expect(world.runs.begun.length).toBeGreaterThan(before);
    expect(world.maintenanceOf("shop").status).toMatchObject({
      quick: { lastSuccessAt: expect.any(String) },
      full: { lastSuccessAt: expect.any(String) },
    });
    expect(world.runs.most).toBe(1);
  });

  test("space is given back at once only where no other object stands for the stored repository", async () => {
    const world = await World.open();
    await world.share("shop");
    await world.ask("full-immediate 1");
    await world.clock.advance(2 * MINUTE);
    expect(world.turns).toEqual([]);
    expect(world.maintenance.status).toMatchObject({
      phase: "Failed",
      handledRunRequest: "full-immediate 1",
      failure: { errorClass: "NotAlone", message: expect.stringContaining("Repository shop/nas stands for") },
    });
    await world.clock.advance(15 * MINUTE);
    expect(world.maintenance.status?.phase).toBe("Ready");
    await world.cluster.delete(repositoryResource, { namespace: "shop", name: "nas" });
    await world.ask("full-immediate 2");
    await world.clock.advance(2 * MINUTE);
    expect(world.turns.filter((run) => run.includes("-full-"))).toHaveLength(1);
  });

  test("two leaders whose clocks differ do not contradict each other without end while a run is under way", async () => {
    const world = await World.open();
    world.err(16 * MINUTE);
    world.start();
    world.movers = [{ ms: 50 * MINUTE, succeeds: true }];
    await world.clock.advance(40 * MINUTE);
    expect(world.maintenance.status?.phase).toBe("Running");
    const { resourceVersion } = world.maintenance.metadata;
    await world.clock.advance(5 * MINUTE);
    expect(world.maintenance.metadata.resourceVersion).toBe(resourceVersion);
  });

  const step = fc.oneof(
    fc.record({ type: fc.constant("pass" as const), ms: fc.integer({ min: 0, max: 40 * MINUTE }) }),
    fc.record({
      type: fc.constant("faults" as const),
      fates: fc.array(fc.constantFrom<Fate>("answered", "answered", "lost", "unheard"), { maxLength: 12 }),
    }),
    fc.record({
      type: fc.constant("movers" as const),
      movers: fc.array(fc.record({ ms: fc.integer({ min: 1, max: 30 * MINUTE }), succeeds: fc.boolean() }), {
        maxLength: 6,
      }),
    }),
    fc.record({ type: fc.constant("clock" as const), by: fc.integer({ min: -2 * HOUR, max: 2 * HOUR }) }),
    fc.constantFrom(
      { type: "kill" as const },
      { type: "start" as const },
      { type: "stall" as const },
      { type: "heal" as const },
    ),
  );

  test("whatever fails, dies, lags or is set wrong, no run works twice or beside another, and it goes on", {
    timeout: LONG ? 3_600_000 : 600_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const world = await World.open();
        for (const one of steps) {
          if (one.type === "pass") await world.clock.advance(one.ms);
          else if (one.type === "faults") world.fates = one.fates;
          else if (one.type === "movers") world.movers = one.movers;
          else if (one.type === "clock") world.err(one.by);
          else if (one.type === "kill") world.killAll();
          else if (one.type === "start") world.start();
          else if (one.type === "stall") world.stall();
          else world.heal();
        }
        world.heal();
        // What was done ahead of its time is not done again.
        await world.clock.advance(3 * HOUR);
        expect(new Set(world.runs.begun).size).toBe(world.runs.begun.length);
        expect(world.runs.most).toBeLessThanOrEqual(1);
        const before = world.turns.length;
        await world.clock.advance(HOUR + 2 * MINUTE);
        const turns = world.turns.slice(before);
        expect(turns.filter((run) => run.includes("-quick-")).length).toBeGreaterThanOrEqual(4);
        expect(turns.filter((run) => run.includes("-full-")).length).toBeGreaterThanOrEqual(1);
        expect(["Ready", "Pending", "Running"]).toContain(world.maintenance.status?.phase);
        expect(world.runs.left).toBeLessThanOrEqual(1);
        world.killAll();
      }),
      { numRuns: LONG ? 60 : 8 },
    );
  });
});
