import { describe, expect, test } from "vitest";
import { backupResource } from "../../../../src/kinds/cozystack/generated/backup.ts";
import { backupClassResource } from "../../../../src/kinds/cozystack/generated/backup_class.ts";
import { backupJobResource } from "../../../../src/kinds/cozystack/generated/backup_job.ts";
import { type Plan, planResource } from "../../../../src/kinds/cozystack/generated/plan.ts";
import { volumeResource } from "../../../../src/kinds/cozystack/generated/volume.ts";
import { backupResource as nativeBackupResource } from "../../../../src/kinds/kopiur/generated/backup.ts";
import type { Resource } from "../../../../src/kube/resource.ts";
import { CozystackWorld, type CozystackWorldOptions, DATABASE, NAMESPACE } from "./cozystack_world.ts";
import { nativeEnds } from "./outsides.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;
const SPEC = { applicationRef: DATABASE, backupClassName: "standard" };

async function enter(options: CozystackWorldOptions = {}): Promise<CozystackWorld> {
  const world = await new CozystackWorld(options).start();
  await world.create(volumeResource, "volumes", { repository: { kind: "Repository", name: "nas" } });
  const strategies = [{ strategyRef: { kind: "Volume", name: "volumes" }, application: DATABASE }];
  await world.create(backupClassResource, "standard", { strategies });
  return world;
}

const namesOf = async (world: CozystackWorld, resource: { readonly kind: string }) =>
  (await world.all(resource as Resource)).map(({ metadata }) => metadata.name);

describe("a Plan", () => {
  test("with a time that cannot be read says so, and runs once it is corrected", async () => {
    await using world = await enter();
    const plan = await world.create(planResource, "nightly", { ...SPEC, schedule: { cron: "61 * * * *" } });
    await world.turns(3);
    const broken = await world.get(planResource, "nightly");
    expect(broken.status).toMatchObject({
      phase: "Failed",
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: "Stalled", status: "True", reason: "InvalidSchedule" }),
      ]),
    });
    await world.patch(planResource, plan, { spec: { schedule: { cron: "0 * * * *" } } });
    await world.turns(3);
    expect((await world.get(planResource, "nightly")).status?.phase).toBe("Active");
    await world.turns(3, HOUR / 2, () => nativeEnds(world, "well"));
    expect(await namesOf(world, backupJobResource)).toHaveLength(1);
  });

  test("says that its class is missing or not for its application, and that it is right again", async () => {
    await using world = await enter();
    await world.create(planResource, "nightly", {
      ...SPEC,
      backupClassName: "later",
      schedule: { cron: "0 2 * * *" },
    });
    const resolved = async () => {
      await world.turns(3);
      const { status } = await world.get(planResource, "nightly");
      return status?.conditions?.find(({ type }) => type === "ClassResolved")?.reason;
    };
    expect(await resolved()).toBe("BackupClassNotFound");
    const strategyRef = { kind: "Volume", name: "volumes" };
    const classOf = (application: object) => ({ strategies: [{ strategyRef, application }] as never });
    const later = await world.create(backupClassResource, "later", classOf({ kind: "Postgres" }));
    expect(await resolved()).toBe("NoMatchingStrategy");
    await world.patch(backupClassResource, later, { spec: classOf(DATABASE) });
    expect(await resolved()).toBe("Resolved");
  });

  test("makes jobs as the document says, shows how they went, and keeps as many as it is told", async () => {
    await using world = await enter();
    const limits = { successfulJobsHistoryLimit: 2, retention: { keepLatest: 3 } };
    const plan = await world.create(planResource, "hourly", {
      ...SPEC,
      schedule: { cron: "0 * * * *" },
      ...limits,
    });
    for (let hour = 0; hour < 6; hour++) {
      await world.turns(1, HOUR - 8_000);
      await world.turns(8, 1_000, () => nativeEnds(world, "well"));
    }
    await world.turns(8, 1_000, () => nativeEnds(world, "well"));
    const jobs = await world.all(backupJobResource);
    expect(jobs).toHaveLength(2);
    expect(jobs[0]).toMatchObject({
      metadata: {
        ownerReferences: [{ kind: "Plan", name: "hourly", uid: plan.metadata.uid, controller: true }],
      },
      spec: { planRef: { name: "hourly" }, applicationRef: DATABASE, backupClassName: "standard" },
      status: { phase: "Succeeded" },
    });
    const backups = await world.all(backupResource);
    expect(backups).toHaveLength(3);
    expect(await namesOf(world, nativeBackupResource)).toHaveLength(3);
    for (const { metadata, spec } of backups) {
      expect(metadata.ownerReferences).toBeUndefined();
      expect(spec.planRef).toEqual({ name: "hourly" });
    }
    const { status } = await world.get(planResource, "hourly");
    expect(status).toMatchObject({
      phase: "Active",
      resolvedCron: expect.any(String),
      decidedUntil: "2026-01-01T06:00:00Z",
      lastSchedule: {
        scheduledAt: "2026-01-01T06:00:00Z",
        backupJobRef: { name: jobs.at(-1)?.metadata.name },
      },
      nextSchedule: { at: "2026-01-01T07:00:00Z" },
      lastSuccessfulSchedule: { at: "2026-01-01T06:00:00Z" },
      backupJobsCreated: 6,
      consecutiveFailures: 0,
      active: 0,
    });
  });

  test("deletes by its retention without being taken for somebody outside", async () => {
    await using world = await enter();
    const spec = { ...SPEC, schedule: { cron: "0 * * * *" }, retention: { keepLatest: 1 } };
    await world.create(planResource, "hourly", spec);
    const marks = new Set<string>();
    // As the native API does: what is being deleted stays until its snapshots are deleted.
    const outside = async () => {
      await nativeEnds(world, "well");
      for (const one of await world.all(nativeBackupResource)) {
        const finalizers = one.metadata.deletionTimestamp ? [] : ["tests.dev/snapshots"];
        const reason = one.metadata.annotations?.["kopiur.home-operations.com/deletion-reason"] ?? "";
        if (one.metadata.deletionTimestamp) marks.add(reason);
        await world.patch(nativeBackupResource, one, { metadata: { finalizers } });
      }
    };
    for (let hour = 0; hour < 3; hour++) {
      await world.turns(1, HOUR - 8_000, outside);
      await world.turns(8, 1_000, outside);
    }
    await world.turns(8, 1_000, outside);
    expect([...marks]).toEqual(["Retention"]);
    expect(await namesOf(world, nativeBackupResource)).toHaveLength(1);
    // What a person deletes is no retention.
    const [backup] = await world.all(backupResource);
    await world.client.delete(backupResource, { namespace: NAMESPACE, name: backup?.metadata.name ?? "" });
    await world.turns(5, 1_000, outside);
    expect([...marks]).toEqual(["Retention", ""]);
  });

  test("counts failures, and keeps as many failed jobs as it is told", async () => {
    await using world = await enter();
    const spec = { ...SPEC, schedule: { cron: "0 * * * *" }, failedJobsHistoryLimit: 1 };
    await world.create(planResource, "hourly", spec);
    for (let hour = 0; hour < 4; hour++) {
      await world.turns(1, HOUR - 8_000);
      await world.turns(8, 1_000, () => nativeEnds(world, "badly"));
    }
    await world.turns(8, 1_000, () => nativeEnds(world, "badly"));
    expect((await world.get(planResource, "hourly")).status).toMatchObject({ consecutiveFailures: 4 });
    expect(await namesOf(world, backupJobResource)).toHaveLength(1);
    expect(await namesOf(world, backupResource)).toEqual([]);
    // What the jobs had begun goes with them.
    expect(await namesOf(world, nativeBackupResource)).toHaveLength(1);
  });

  test("that is suspended makes none, and makes up for none afterwards", async () => {
    await using world = await enter();
    const plan = await world.create(planResource, "hourly", {
      ...SPEC,
      schedule: { cron: "0 * * * *" },
      suspend: true,
    });
    await world.turns(6, HOUR / 2);
    expect((await world.get(planResource, "hourly")).status?.phase).toBe("Suspended");
    await world.patch(planResource, plan, { spec: { suspend: false } });
    await world.turns(3);
    expect(await namesOf(world, backupJobResource)).toEqual([]);
    await world.turns(3, HOUR / 2);
    expect(await namesOf(world, backupJobResource)).toHaveLength(1);
  });

  test("makes one job for the time that it slept, and its jobs go with it, while Backups stay", async () => {
    await using world = await enter();
    await world.create(planResource, "hourly", { ...SPEC, schedule: { cron: "0 * * * *" } });
    await world.turns(3);
    await world.away(true);
    await world.turns(24, HOUR);
    await world.away(false);
    await world.turns(8, 1_000, () => nativeEnds(world, "well"));
    expect(await namesOf(world, backupJobResource)).toHaveLength(1);
    const [name = ""] = await namesOf(world, backupResource);
    await world.client.delete(planResource, { namespace: NAMESPACE, name: "hourly" });
    await world.turns(5);
    expect(await namesOf(world, backupJobResource)).toEqual([]);
    expect(await namesOf(world, backupResource)).toEqual([name]);
  });
});

test("a thousand Plans of one minute make one job each, within a minute at the operator's budget", async () => {
  // A driver works on the first jobs while the last are made.
  await using world = await enter({ budgeted: true });
  const count = 1000;
  for (let index = 0; index < count; index++) {
    await world.create(planResource, `plan-${index}`, { ...SPEC, schedule: { cron: "10 0 * * *" } });
  }
  // All have said that they are active, long before they are due.
  await world.turns(60, 8_000);
  const isActive = ({ status }: Plan) => status?.phase === "Active";
  expect((await world.all(planResource)).filter(isActive)).toHaveLength(count);
  await world.turns(1, Math.max(0, Date.parse("2026-01-01T00:10:00Z") - world.clock.now()));
  await world.turns(60, 1_000);
  const jobs = await world.all(backupJobResource);
  expect(jobs).toHaveLength(count);
  expect(new Set(jobs.map(({ spec }) => spec.planRef?.name)).size).toBe(count);
  const last = Math.max(...jobs.map(({ metadata }) => Date.parse(metadata.creationTimestamp)));
  expect(last - Date.parse("2026-01-01T00:10:00Z")).toBeLessThanOrEqual(MINUTE);
  await world.turns(2, MINUTE);
  expect(await world.all(backupJobResource)).toHaveLength(count);
}, 240_000);
