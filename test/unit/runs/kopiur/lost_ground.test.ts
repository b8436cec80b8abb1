import { describe, expect, test } from "vitest";
import { Namespaces, PersistentVolumeClaims, type Pod, Pods } from "../../../../src/kube/builtin.ts";
import { KopiurWorld, type KopiurWorldOptions, NAMESPACE } from "./kopiur_world.ts";

const TIMEOUT = { timeout: 60_000 };
const DATA = { namespace: NAMESPACE, name: "data" };
const METHODS = ["Direct", "Snapshot", "Clone"] as const;

async function withBackup(options: KopiurWorldOptions, reason: string): Promise<KopiurWorld> {
  const world = await new KopiurWorld(options).start();
  await world.backup("one");
  await world.until(reason, async () => (await reasonOf(world)) === reason, 200);
  return world;
}

async function reasonOf(world: KopiurWorld): Promise<string | undefined> {
  const [one] = await world.backups();
  return one?.status?.conditions?.find(({ type }) => type === "Ready")?.reason;
}

async function hasSucceeded(world: KopiurWorld): Promise<boolean> {
  return (await world.backups()).every(({ status }) => status?.phase === "Succeeded");
}

async function claims(world: KopiurWorld): Promise<readonly string[]> {
  const { items } = await world.client.list(PersistentVolumeClaims, { namespace: NAMESPACE });
  return items.map(({ metadata }) => metadata.name);
}

async function finishMover(world: KopiurWorld): Promise<void> {
  const { items } = await world.client.list(Pods, { namespace: NAMESPACE });
  const running = items.find(({ status }) => status?.phase === "Running") as Pod;
  await world.node.finish(running);
}

describe.each(METHODS)("a claim that is deleted, with the copy method %s,", (copyMethod) => {
  test("while its mover runs, is backed up to the end, and goes then", TIMEOUT, async () => {
    await using world = await withBackup({ copyMethod, fates: [{ type: "goesOn" }] }, "Running");
    await world.client.delete(PersistentVolumeClaims, DATA);
    await world.turns(5);
    expect(await reasonOf(world)).toBe("Running");
    await finishMover(world);
    await world.until("it has succeeded", () => hasSucceeded(world), 100);
    await world.lifetimesPass();
    expect(await claims(world)).toEqual(["store"]);
    expect(await world.leftovers()).toEqual([]);
    expect(world.repository.snapshots).toHaveLength(1);
  });
});

test(
  "a claim that goes between two attempts ends its Backup, and is backed up by the next one when it is there again",
  TIMEOUT,
  async () => {
    await using world = await withBackup({ fates: [{ type: "fails", class: "Locked" }] }, "Locked");
    await world.client.delete(PersistentVolumeClaims, DATA);
    await world.until("it is missed", async () => (await reasonOf(world)) === "SourceGone", 300);
    const attempts = world.node.started.filter((run) => /^one-snapshot-(?!settle)/.test(run));
    expect(attempts).toHaveLength(1);
    await world.storage.claim(NAMESPACE, DATA.name);
    await world.turns(60);
    expect((await world.backups()).map(({ status }) => status?.phase)).toEqual(["Failed"]);
    expect(world.repository.snapshots).toHaveLength(0);
    await world.delete("one");
    await world.backup("two");
    await world.until("the next one has succeeded", () => hasSucceeded(world), 700);
    expect(world.repository.snapshots).toHaveLength(1);
  },
);

test("a claim that took another's place between two attempts is not backed up for it", TIMEOUT, async () => {
  await using world = await withBackup({ fates: [{ type: "fails", class: "Locked" }] }, "Locked");
  await world.client.delete(PersistentVolumeClaims, DATA);
  await world.storage.tick();
  await world.storage.claim(NAMESPACE, DATA.name);
  await world.until("it is noticed", async () => (await reasonOf(world)) === "SourceReplaced", 300);
  await world.turns(60);
  expect((await world.backups()).map(({ status }) => status?.phase)).toEqual(["Failed"]);
  expect(world.repository.snapshots).toHaveLength(0);
});

test("a copy that was made is read by the next attempt, though its claim is gone", TIMEOUT, async () => {
  const options = { copyMethod: "Snapshot", fates: [{ type: "fails", class: "Locked" }] } as const;
  await using world = await withBackup(options, "Locked");
  await world.client.delete(PersistentVolumeClaims, DATA);
  await world.until("it has succeeded", () => hasSucceeded(world), 300);
  await world.lifetimesPass();
  expect(await world.leftovers()).toEqual([]);
});

describe.each(METHODS)(
  "a namespace that is deleted while a mover runs, with the copy method %s,",
  (copyMethod) => {
    test("goes with all that was made in it", TIMEOUT, async () => {
      await using world = await withBackup({ copyMethod, fates: [{ type: "goesOn" }] }, "Running");
      await world.client.delete(Namespaces, { name: NAMESPACE });
      await world.until(
        "it is gone",
        async () =>
          (await world.client.list(Namespaces)).items.every(({ metadata }) => metadata.name !== NAMESPACE),
        300,
      );
      await world.turns(2);
      expect(await world.backups()).toEqual([]);
      expect(await world.leftovers()).toEqual([]);
    });
  },
);
