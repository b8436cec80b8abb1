import { expect, test } from "vitest";
import { backupScheduleResource } from "../../../../src/kinds/kopiur/generated/backup_schedule.ts";
import { restoreResource } from "../../../../src/kinds/kopiur/generated/restore.ts";
import { PersistentVolumeClaims } from "../../../../src/kube/builtin.ts";
import { KopiurWorld, NAMESPACE } from "./kopiur_world.ts";

/* Every right that a backup, its restore and its deletion need is taken away, one at a time. */

const OURS = "kopiur.home-operations.com";

/** One of each sort; the long run takes each right that is used. */
const SOME = [
  "create jobs.batch",
  "create events",
  `patch repositories.${OURS}/status`,
  "watch volumesnapshots.snapshot.storage.k8s.io",
];

/** What is asked for once, at the start, or only on an occasion that does not come again: it may be missing for long. */
const RARE = [
  "create volumepopulators.populator.storage.k8s.io",
  "deletecollection jobs.batch",
  "get serviceaccounts",
  "list resourcequotas",
  "patch events",
];

/** The life of a backup, as far as it gets at each call; true once it is over. */
function life(world: KopiurWorld): () => Promise<boolean> {
  const at = (name: string) => ({ namespace: NAMESPACE, name });
  const succeeded = async () =>
    (await world.backups()).filter(({ status }) => status?.phase === "Succeeded").length;
  const done = async (work: Promise<unknown>) => work.then(() => true);
  const steps: (() => Promise<boolean>)[] = [
    () => done(world.backup("a")),
    async () => (await succeeded()) === 1,
    () => {
      const target = { pvc: { name: "again", capacity: "1Gi", accessModes: ["ReadWriteOnce"] } };
      const spec = { source: { backupRef: { name: "a" } }, target };
      return done(world.client.create(restoreResource, { metadata: at("again"), spec } as never));
    },
    async () => (await world.client.get(restoreResource, at("again"))).status?.phase === "Completed",
    () => {
      const spec = { configRef: { name: "data" }, schedule: { cron: "* * * * *" } };
      return done(world.client.create(backupScheduleResource, { metadata: at("often"), spec } as never));
    },
    async () => (await succeeded()) === 2,
    () => done(world.client.delete(backupScheduleResource, at("often"))),
    async () => {
      for (const { metadata } of await world.backups()) await world.delete(metadata.name);
      return true;
    },
    async () => (await world.backups()).length === 0,
  ];
  return async () => {
    while (steps[0] && (await steps[0]())) steps.shift();
    return steps.length === 0;
  };
}

const open = (without?: string) =>
  new KopiurWorld({ copyMethod: "Snapshot", ...(without ? { without } : {}) }).start();

async function used(): Promise<readonly string[]> {
  await using world = await open();
  await world.until("it is over", life(world), 400);
  return world.used;
}

const rights = process.env.HOLDFAST_LONG ? await used() : SOME;

test.each(rights)(
  "without the right to %s the operator says so, stays, asks seldom, and goes on once it has it",
  { timeout: 60_000 },
  async (right) => {
    await using world = await open(right);
    const over = life(world);
    await world.until("it is refused", async () => (await over()) || world.refused.length > 0, 600);
    expect(world.missing).toEqual([right]);
    const before = world.requests;
    await world.turns(30);
    expect(world.requests - before).toBeLessThan(150);
    expect(world.isAlive).toBe(true);
    world.grantAll();
    await world.until("it is over", over, 450);
    if (!RARE.includes(right)) expect(world.missing).toEqual([]);
  },
);

test.each([`watch maintenances.${OURS}`, `watch backupschedules.${OURS}`])(
  "without the right to %s volumes are backed up all the same",
  { timeout: 60_000 },
  async (right) => {
    await using world = await open(right);
    await world.backup("a");
    await world.until(
      "it is backed up",
      async () => (await world.backups())[0]?.status?.phase === "Succeeded",
      60,
    );
    expect(world.missing).toEqual([right]);
  },
);

test("without the right to create claims a claim that names a Restore hears why, and is seldom tried again", {
  timeout: 60_000,
}, async () => {
  await using world = await open("create persistentvolumeclaims");
  await world.backup("a");
  const at = (name: string) => ({ namespace: NAMESPACE, name });
  const source = { source: { backupRef: { name: "a" } } };
  await world.client.create(restoreResource, { metadata: at("source"), spec: source } as never);
  const spec = {
    storageClassName: "fake",
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    dataSourceRef: { apiGroup: OURS, kind: "Restore", name: "source" },
  };
  await world.client.create(PersistentVolumeClaims, { metadata: at("born"), spec } as never);
  await world.until("it is refused", async () => world.refused.length > 0, 600);
  await world.turns(5);
  const before = world.requests;
  await world.turns(30);
  const { status } = await world.client.get(restoreResource, at("source"));
  expect(status?.conditions).toContainEqual(expect.objectContaining({ type: "Ready", reason: "Forbidden" }));
  expect(world.requests - before).toBeLessThan(150);
});
