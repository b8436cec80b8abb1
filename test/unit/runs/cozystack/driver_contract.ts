import { describe, expect, test } from "vitest";
import { backupResource } from "../../../../src/kinds/cozystack/generated/backup.ts";
import {
  type BackupClass,
  backupClassResource,
} from "../../../../src/kinds/cozystack/generated/backup_class.ts";
import { type BackupJob, backupJobResource } from "../../../../src/kinds/cozystack/generated/backup_job.ts";
import {
  type RestoreJob,
  restoreJobResource,
} from "../../../../src/kinds/cozystack/generated/restore_job.ts";
import { ApiError, isNotFound } from "../../../../src/kube/api_error.ts";
import type { Resource } from "../../../../src/kube/resource.ts";
import { CozystackWorld, type CozystackWorldOptions, DATABASE, NAMESPACE } from "./cozystack_world.ts";
import type { Outside } from "./outsides.ts";

/** A driver that is held to the contract. */
export interface DriverUnderTest {
  readonly name: string;
  readonly strategyRef: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  /** Makes its strategy. */
  prepare(world: CozystackWorld): Promise<void>;
  /** Lets what it hands its work to go on. It is called again and again. */
  outside(world: CozystackWorld, how: Outside): Promise<void>;
  /** What it has handed out that is there now, each by a name of its own. Default: nobody looks. */
  handedOut?(world: CozystackWorld): Promise<readonly string[]>;
  /** The `level` of the restores that it has handed out and that are there now. Default: nobody looks. */
  restoresBy?(world: CozystackWorld): Promise<readonly string[]>;
  /** The names of the applications that those restore into. */
  restoresInto(world: CozystackWorld): Promise<readonly string[]>;
  /** How many of these it takes to back up, restore and delete once. */
  readonly pieces?: number;
  /** Starts it, where it is a program of its own. Default: it is a part of the operator. */
  run?(world: CozystackWorld): Promise<AsyncDisposable>;
  /** The operator carries it out, and may die at any request. */
  readonly inOperator?: true;
}

type Job = BackupJob | RestoreJob;

/** Operators die one after the other, each at its request of this number: together these lives hit every step. */
const MOMENTS = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
const DEATHS = 8;

/**
 * The contract between the core and drivers, by the objects that they meet in. Any driver passes it, whoever wrote it and
 * wherever it runs.
 */
export function driverContract(driver: DriverUnderTest): void {
  describe(`the driver ${driver.name}`, () => {
    let how: Outside = "well";
    let seen: (world: CozystackWorld) => Promise<void> = async () => {};

    async function enter(options: CozystackWorldOptions = {}): Promise<CozystackWorld> {
      how = "well";
      seen = async () => {};
      const world = await new CozystackWorld(options).start();
      await driver.prepare(world);
      await world.create(backupClassResource, "standard", classOf("full"));
      return world;
    }

    const classOf = (level: string): BackupClass["spec"] => ({
      strategies: [{ strategyRef: driver.strategyRef, application: DATABASE, parameters: { level } }],
    });
    const outside = (world: CozystackWorld) => async () => {
      await seen(world);
      await driver.outside(world, how);
      await seen(world);
    };
    /** Drivers delete no job, and change none. */
    const jobsStay = async (world: CozystackWorld, ...names: readonly string[]) => {
      const jobs = [...(await world.all(backupJobResource)), ...(await world.all(restoreJobResource))];
      expect(jobs.map(({ metadata }) => [metadata.name, metadata.generation])).toEqual(
        names.map((name) => [name, 1]),
      );
    };
    const goes = (world: CozystackWorld, next: Outside) => {
      how = next;
      return driver.outside(world, how);
    };
    const phased = (world: CozystackWorld, resource: Resource<Job>, name: string, phase: string) =>
      world.until(
        `${name} is ${phase}`,
        async () => (await world.get(resource, name)).status?.phase === phase,
        outside(world),
      );

    async function backedUp(world: CozystackWorld, name = "first", phase = "Succeeded"): Promise<BackupJob> {
      const spec = { applicationRef: DATABASE, backupClassName: "standard" };
      await world.create(backupJobResource, name, spec);
      await phased(world, backupJobResource, name, phase);
      return world.get(backupJobResource, name);
    }

    async function restored(world: CozystackWorld, phase = "Succeeded", more = {}): Promise<RestoreJob> {
      await world.create(restoreJobResource, "again", { backupRef: { name: "first" }, ...more });
      await phased(world, restoreJobResource, "again", phase);
      return world.get(restoreJobResource, "again");
    }

    /** What is seen of the driver's work from now on, each once: it may be gone when the job ends. */
    function watched(look: DriverUnderTest["restoresBy"]): ReadonlySet<string> {
      const found = new Set<string>();
      seen = async (world) => {
        for (const one of (await look?.(world)) ?? []) found.add(one);
      };
      return found;
    }

    test("marks a job as begun, with the time, before it ends", async () => {
      await using world = await enter();
      await goes(world, "waits");
      await using _ = await driver.run?.(world);
      const job = await backedUp(world, "first", driver.run ? "Succeeded" : "Running");
      expect(job.status?.startedAt).toBeDefined();
      if (!driver.run) expect(job.status?.completedAt).toBeUndefined();
    });

    test("ends a backup with a Backup that is ready, and leaves the spec of the job as it was", async () => {
      await using world = await enter();
      await using _ = await driver.run?.(world);
      const job = await backedUp(world);
      expect(job.status).toMatchObject({
        backupRef: { name: expect.any(String) },
        completedAt: expect.any(String),
      });
      expect(job.metadata.generation).toBe(1);
      const backup = await world.get(backupResource, job.status?.backupRef?.name ?? "");
      expect(backup).toMatchObject({
        spec: { applicationRef: DATABASE, strategyRef: driver.strategyRef, takenAt: expect.any(String) },
        status: { phase: "Ready", artifact: { uri: expect.stringMatching(/^[a-z0-9]+:\/\//) } },
      });
      expect(Date.parse(backup.spec.takenAt)).toBeLessThanOrEqual(Date.parse(job.status?.completedAt ?? ""));
    });

    test("ends a backup that fails with the reason, and without a Backup", async () => {
      await using world = await enter();
      await goes(world, "badly");
      await using _ = await driver.run?.(world);
      const { status } = await backedUp(world, "first", "Failed");
      expect(status).toMatchObject({ completedAt: expect.any(String), message: expect.stringMatching(/\S/) });
      expect(status?.conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "False" }));
      expect(await world.all(backupResource)).toEqual([]);
    });

    test("restores a Backup by its own strategy, also when the class is another by then", async () => {
      await using world = await enter();
      await using _ = await driver.run?.(world);
      await backedUp(world);
      const object = await world.get(backupClassResource, "standard");
      await world.patch(backupClassResource, object, { spec: { strategies: [foreign(object)] } });
      const levels = watched(driver.restoresBy);
      const job = await restored(world);
      expect(job.status).toMatchObject({ startedAt: expect.any(String), completedAt: expect.any(String) });
      expect((await world.get(backupResource, "first")).spec.driverMetadata).toMatchObject({ level: "full" });
      if (driver.restoresBy) expect([...levels]).toEqual(["full"]);
      await jobsStay(world, "first", "again");
    });

    test("restores by the parameters that the Backup was made with, whatever the class says by then", async () => {
      await using world = await enter();
      await using _ = await driver.run?.(world);
      await backedUp(world);
      const object = await world.get(backupClassResource, "standard");
      await world.patch(backupClassResource, object, { spec: classOf("none") });
      const levels = watched(driver.restoresBy);
      await restored(world);
      expect((await world.get(backupResource, "first")).spec.driverMetadata).toMatchObject({ level: "full" });
      if (driver.restoresBy) expect([...levels]).toEqual(["full"]);
    });

    test("restores into the application that the RestoreJob names, and into no other", async () => {
      await using world = await enter();
      await using _ = await driver.run?.(world);
      await backedUp(world);
      const targets = watched(driver.restoresInto);
      await restored(world, "Succeeded", { targetApplicationRef: { ...DATABASE, name: "copy" } });
      expect([...targets]).toEqual(["copy"]);
      await jobsStay(world, "first", "again");
    });

    test("ends a restore that fails with the reason", async () => {
      await using world = await enter();
      await using _ = await driver.run?.(world);
      await backedUp(world);
      await goes(world, "badly");
      const { status } = await restored(world, "Failed");
      expect(status).toMatchObject({ completedAt: expect.any(String), message: expect.stringMatching(/\S/) });
      expect(status?.conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "False" }));
    });

    test("leaves jobs of other strategies alone", async () => {
      await using world = await enter();
      await using _ = await driver.run?.(world);
      const object = await world.get(backupClassResource, "standard");
      await world.patch(backupClassResource, object, { spec: { strategies: [foreign(object)] } });
      await world.create(backupJobResource, "theirs", {
        applicationRef: DATABASE,
        backupClassName: "standard",
      });
      await world.turns(5, 1_000, outside(world));
      const { status } = await world.get(backupJobResource, "theirs");
      expect(status).toMatchObject({
        phase: "Pending",
        message: "Waiting for the driver for Disc of discs.example.com.",
      });
      expect(status).not.toHaveProperty("startedAt");
    });

    test("lets a Backup go that somebody deletes", async () => {
      await using world = await enter();
      await using _ = await driver.run?.(world);
      await backedUp(world);
      const { metadata } = await world.get(backupResource, "first");
      await world.client.delete(backupResource, metadata);
      await world.until("the Backup is gone", () => isGone(world, "first"), outside(world));
      await jobsStay(world, "first");
    });

    test.runIf(driver.inOperator).each(MOMENTS)(
      "backs up, restores and deletes once, also when it dies at each request %i",
      async (request) => {
        const deaths = Array.from({ length: DEATHS }, (_, n) => ({ request, carriedOut: n % 2 === 0 }));
        await using world = await enter({ deaths });
        const handedOut = new Set<string>();
        const look = async () => {
          for (const piece of (await driver.handedOut?.(world)) ?? []) handedOut.add(piece);
        };
        const each = async () => {
          await look();
          await driver.outside(world, how);
          // What came and ended meanwhile.
          await look();
        };
        const spec = { applicationRef: DATABASE, backupClassName: "standard" };
        const ended = (resource: Resource<Job>, name: string) =>
          world.until(
            `${name} has ended`,
            async () => (await world.get(resource, name)).status?.completedAt !== undefined,
            each,
          );
        await world.create(backupJobResource, "first", spec);
        await ended(backupJobResource, "first");
        await world.turns(3, 1_000, each);
        const backups = await world.all(backupResource);
        expect(backups.map(({ metadata, status }) => [metadata.name, status?.phase])).toEqual([
          ["first", "Ready"],
        ]);
        await world.create(restoreJobResource, "again", { backupRef: { name: "first" } });
        await ended(restoreJobResource, "again");
        const jobs = [
          await world.get(backupJobResource, "first"),
          await world.get(restoreJobResource, "again"),
        ];
        expect(jobs.map(({ status }) => status?.phase)).toEqual(["Succeeded", "Succeeded"]);
        await world.client.delete(backupResource, { namespace: NAMESPACE, name: "first" });
        await world.until("the Backup is gone", () => isGone(world, "first"), each);
        expect(world.operatorsDied).toBeGreaterThan(0);
        expect(handedOut.size).toBe(driver.pieces);
      },
    );
  });
}

/** The class of an object, with the strategy of a driver that is not there. */
function foreign({ spec }: BackupClass): object {
  const strategyRef = { apiGroup: "discs.example.com", kind: "Disc", name: "changer" };
  return { ...spec.strategies[0], strategyRef, parameters: { level: "none" } };
}

async function isGone(world: CozystackWorld, name: string): Promise<boolean> {
  try {
    await world.get(backupResource, name);
    return false;
  } catch (error) {
    if (error instanceof ApiError && isNotFound(error)) return true;
    throw error;
  }
}
