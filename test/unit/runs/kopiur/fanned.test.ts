import fc from "fast-check";
import { expect, test } from "vitest";
import { ANNOTATIONS, DERIVED_ANNOTATIONS } from "../../../../src/kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../../../src/kinds/kopiur/generated/backup.ts";
import {
  type BackupConfig,
  backupConfigResource,
} from "../../../../src/kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../../../src/kinds/kopiur/generated/backup_schedule.ts";
import { repositoryResource } from "../../../../src/kinds/kopiur/generated/repository.ts";
import { Namespaces, Secrets } from "../../../../src/kube/builtin.ts";
import { KopiurWorld, type KopiurWorldOptions, NAMESPACE } from "./kopiur_world.ts";

/** One namespace that allows recipes of the shop, and one that does not. */
const [OFFICE, LAB] = ["office", "lab"];

async function begin(options: KopiurWorldOptions): Promise<KopiurWorld> {
  const world = await new KopiurWorld({ ...options, lendSecrets: true }).start();
  const { client } = world;
  const annotations = { [ANNOTATIONS.allowedConfigNamespaces]: `home, ${NAMESPACE}` };
  await client.create(Namespaces, { metadata: { name: OFFICE, annotations } });
  await client.create(Namespaces, { metadata: { name: LAB } });
  await client.create(Secrets, {
    metadata: { namespace: NAMESPACE, name: "creds" },
    data: { KOPIA_PASSWORD: "c2VjcmV0" },
  });
  for (const namespace of [OFFICE, LAB]) {
    for (const name of ["data", "store"]) await world.storage.claim(namespace, name);
  }
  const nas = { namespace: NAMESPACE, name: "nas" };
  const allow = { spec: { allowedNamespaces: { list: [OFFICE] } } };
  await client.patch(repositoryResource, nas, { type: "merge", patch: allow } as never);
  return world;
}

const recipe = (world: KopiurWorld, matchNames: readonly string[], more: object = {}) =>
  world.client.create(backupConfigResource, {
    metadata: { namespace: NAMESPACE, name: "all" },
    spec: {
      repository: { kind: "Repository", name: "nas" },
      sources: [{ pvcSelector: { namespaceSelector: { matchNames } } }],
      copyMethod: "Direct",
      ...more,
    } as never,
  });

const asked = { namespace: NAMESPACE, name: "asked" };
const ask = (world: KopiurWorld) =>
  world.client.create(backupResource, { metadata: asked, spec: { configRef: { name: "all" } } });

async function asking(world: KopiurWorld): Promise<Backup | undefined> {
  return (await world.backups()).find(({ metadata }) => metadata.name === asked.name);
}

async function made(world: KopiurWorld): Promise<readonly Backup[]> {
  const { items } = await world.client.list(backupResource);
  return items.filter(({ metadata }) => metadata.name !== asked.name);
}

async function derived(world: KopiurWorld): Promise<readonly BackupConfig[]> {
  const { items } = await world.client.list(backupConfigResource);
  return items.filter(({ metadata }) => metadata.annotations?.[DERIVED_ANNOTATIONS.from]);
}

const ready = (object: Backup | BackupConfig | undefined) =>
  object?.status?.conditions?.find(({ type }) => type === "Ready");

interface Story extends KopiurWorldOptions {
  /** When the Backup that asks is deleted; beyond the last turn, after its end. */
  readonly deletedAt: number;
}

const story: fc.Arbitrary<Story> = fc.record({
  deaths: fc.array(fc.record({ request: fc.integer({ min: 30, max: 90 }), carriedOut: fc.boolean() }), {
    maxLength: 4,
  }),
  deletedAt: fc.integer({ min: 0, max: 24 }),
});

const TURNS = 16;
const RUNS = process.env.HOLDFAST_LONG === undefined ? 4 : 60;

async function tell({ deletedAt, ...options }: Story): Promise<void> {
  await using world = await begin(options);
  await recipe(world, [NAMESPACE, OFFICE]);
  await ask(world);
  for (let turn = 0; turn < TURNS; turn++) {
    if (turn === deletedAt) await world.client.delete(backupResource, asked);
    await world.turns(1);
  }
  if (deletedAt >= TURNS) {
    await world.until("it has succeeded", async () => (await asking(world))?.status?.phase === "Succeeded");
    const { status } = (await asking(world)) ?? {};
    expect(status?.snapshots).toBeUndefined();
    const others = await made(world);
    expect(status?.backupRefs).toEqual(
      [OFFICE, NAMESPACE].map((namespace) => {
        const one = others.find(({ metadata }) => metadata.namespace === namespace);
        return {
          namespace,
          name: one?.metadata.name,
          uid: one?.metadata.uid,
          phase: "Succeeded",
          snapshots: 1,
        };
      }),
    );
    expect(
      others.flatMap((one) => one.status?.snapshots?.map(({ identity, pvc }) => [identity, pvc])),
    ).toEqual([
      [{ username: "all", hostname: OFFICE, sourcePath: "/pvc/data" }, `${OFFICE}/data`],
      [{ username: "all", hostname: NAMESPACE, sourcePath: "/pvc/data" }, `${NAMESPACE}/data`],
    ]);
    expect(world.repository.snapshots).toHaveLength(2);
    await world.client.delete(backupResource, asked);
  }
  await world.until("it is gone", async () => (await asking(world)) === undefined);
  await world.lifetimesPass();
  expect(await made(world), "what did the work goes with what asked for it").toEqual([]);
  expect(world.repository.snapshots, "snapshots").toEqual([]);
  expect(await world.leftovers(), "what is left in the cluster").toEqual([]);
  await world.client.delete(backupConfigResource, { namespace: NAMESPACE, name: "all" });
  await world.turns(4);
  expect(await derived(world), "what repeated the recipe goes with it").toEqual([]);
}

test("claims of two namespaces are backed up once, and nothing is left, however often the operator dies", {
  timeout: 240_000,
}, async () => {
  await fc.assert(fc.asyncProperty(story, tell), { numRuns: RUNS });
});

test("a namespace that does not consent is told by name, and keeps no other from its backup", async () => {
  await using world = await begin({});
  await recipe(world, [OFFICE, LAB]);
  await ask(world);
  await world.until("it has ended", async () => (await asking(world))?.status?.phase === "Failed");
  const backup = await asking(world);
  expect(backup?.status?.backupRefs).toMatchObject([
    {
      namespace: LAB,
      phase: "Failed",
      message: expect.stringContaining("cannot be run on the claims of namespace lab"),
    },
    { namespace: OFFICE, phase: "Succeeded" },
  ]);
  expect(ready(backup)).toMatchObject({ status: "False", reason: "FailedInPart" });
  expect(world.repository.snapshots).toHaveLength(1);
  const recipes = await derived(world);
  expect(recipes.map(({ metadata }) => metadata.namespace)).toEqual([OFFICE]);
  const { status } = await world.client.get(backupConfigResource, { namespace: NAMESPACE, name: "all" });
  expect(status).toMatchObject({
    phase: "Degraded",
    namespaces: [
      { namespace: LAB, reason: "CrossNamespaceForbidden" },
      { namespace: OFFICE, reason: "Ready", config: recipes[0]?.metadata.name },
    ],
  });
});

test("a recipe that is created again is repeated under the names that it had", async () => {
  await using world = await begin({});
  const repeated = async () => (await derived(world)).map(({ metadata, status }) => ({ metadata, status }));
  const isReady = async () =>
    (await repeated()).filter(({ status }) => status?.phase === "Ready").length === 2;
  const { metadata } = await recipe(world, [NAMESPACE, OFFICE]);
  await world.until("it is repeated", isReady);
  const before = await repeated();
  await world.client.delete(backupConfigResource, metadata);
  await recipe(world, [NAMESPACE, OFFICE]);
  const isAnother = async () =>
    (await repeated()).every((one, n) => one.metadata.uid !== before[n]?.metadata.uid);
  await world.until("it is repeated again", async () => (await isReady()) && isAnother());
  const names = (all: typeof before) => all.map((one) => [one.metadata.namespace, one.metadata.name]);
  expect(names(await repeated())).toEqual(names(before));
});

test("nothing is begun any more in a namespace that took its consent back", async () => {
  await using world = await begin({});
  await recipe(world, [OFFICE]);
  await world.until("it is repeated", async () => (await derived(world))[0]?.status?.phase === "Ready");
  const withdrawn = { metadata: { annotations: { [ANNOTATIONS.allowedConfigNamespaces]: null } } };
  await world.client.patch(Namespaces, { name: OFFICE }, { type: "merge", patch: withdrawn } as never);
  const [repeated] = await derived(world);
  await world.client.create(backupResource, {
    metadata: { namespace: OFFICE, name: "late" },
    spec: { configRef: { name: repeated?.metadata.name ?? "" } },
  });
  await world.turns(10);
  const [late] = await made(world);
  expect(ready(late)).toMatchObject({ status: "False", reason: "CrossNamespaceForbidden" });
  expect(world.repository.snapshots).toEqual([]);
});

test("what repeats a recipe follows it, whoever edits which", async () => {
  await using world = await begin({});
  const all = await recipe(world, [NAMESPACE, OFFICE], { retention: { keepLatest: 1 } });
  const words = async () =>
    (await derived(world)).map(({ spec }) => [spec.defaultDeletionPolicy, spec.retention?.keepLatest]);
  const both = async (...said: readonly unknown[]) =>
    JSON.stringify(await words()) === JSON.stringify([said, said]);
  await world.until("it is repeated", () => both("Delete", 1));
  const edit = (metadata: BackupConfig["metadata"], spec: object) =>
    world.client.patch(backupConfigResource, metadata, { type: "merge", patch: { spec } } as never);
  await edit(all.metadata, { defaultDeletionPolicy: "Retain", retention: null });
  await world.until("they say the same", () => both("Retain", undefined));
  for (const { metadata } of await derived(world)) await edit(metadata, { defaultDeletionPolicy: "Orphan" });
  await world.turns(3);
  await world.until("they say the same again", () => both("Retain", undefined));
  await edit(all.metadata, { sources: [{ pvc: { name: "data" } }] });
  await world.until("nothing is repeated", async () => (await derived(world)).length === 0);
  const { status } = await world.client.get(backupConfigResource, all.metadata);
  expect(status).toMatchObject({ phase: "Ready", resolved: { identity: { username: "all" } } });
  expect(status?.namespaces).toBeUndefined();
});

test("retention prunes each namespace by itself, and what asked for it goes after the last", async () => {
  await using world = await begin({});
  const { client } = world;
  await recipe(world, [NAMESPACE, OFFICE], { retention: { keepLatest: 1 } });
  await client.create(backupScheduleResource, {
    metadata: { namespace: NAMESPACE, name: "hourly" },
    spec: { configRef: { name: "all" }, schedule: { cron: "0 * * * *", jitter: "0s" } } as never,
  });
  const ended = async (count: number) => {
    const { status } = await client.get(backupScheduleResource, { namespace: NAMESPACE, name: "hourly" });
    return status?.backupsCreated === count && (status.active ?? 0) === 0;
  };
  await world.turns(5);
  for (const count of [1, 2]) {
    await world.clock.advance(3_600_000);
    await world.until(`run ${count} has ended`, () => ended(count));
  }
  await world.turns(10);
  const { items } = await client.list(backupResource);
  const newest = items.filter(({ status }) => status?.backupRefs);
  expect(newest.map(({ status }) => status?.phase)).toEqual(["Succeeded"]);
  const left = items.filter(({ status }) => status?.snapshots);
  expect(left.map(({ metadata }) => metadata.uid).sort()).toEqual(
    newest[0]?.status?.backupRefs?.map(({ uid }) => uid).sort(),
  );
  expect(world.repository.snapshots).toHaveLength(2);
  const { status } = await client.get(backupConfigResource, { namespace: NAMESPACE, name: "all" });
  expect(status).toMatchObject({ lastSuccessfulBackup: { name: newest[0]?.metadata.name } });
});
