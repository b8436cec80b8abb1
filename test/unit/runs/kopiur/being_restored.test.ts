import { describe, expect, test } from "vitest";
import { VolumeSnapshots } from "../../../../src/core/volumes/staging/snapshot_kinds.ts";
import type { Backup } from "../../../../src/kinds/kopiur/generated/backup.ts";
import { type Restore, restoreResource } from "../../../../src/kinds/kopiur/generated/restore.ts";
import { PersistentVolumeClaims, type Pod, Pods } from "../../../../src/kube/builtin.ts";
import { KopiurWorld, type KopiurWorldOptions, NAMESPACE } from "./kopiur_world.ts";

const TIMEOUT = { timeout: 60_000 };
const RESTORE = { namespace: NAMESPACE, name: "again" };
const METHODS = ["Direct", "Snapshot", "Clone"] as const;

/** A world with one Backup that has succeeded. */
async function backedUp(options: KopiurWorldOptions): Promise<KopiurWorld> {
  const world = await new KopiurWorld(options).start();
  await world.backup("one");
  await world.until("there is a Backup", () => hasSucceeded(world, "one"), 200);
  return world;
}

async function backupIn(world: KopiurWorld, name: string): Promise<Backup | undefined> {
  return (await world.backups()).find(({ metadata }) => metadata.name === name);
}

async function hasSucceeded(world: KopiurWorld, name: string): Promise<boolean> {
  return (await backupIn(world, name))?.status?.phase === "Succeeded";
}

function reasonIn(object: Backup | Restore | undefined): string | undefined {
  return object?.status?.conditions?.find(({ type }) => type === "Ready")?.reason;
}

async function isHeld(world: KopiurWorld): Promise<boolean> {
  return reasonIn(await backupIn(world, "two")) === "VolumeBeingRestored";
}

const restoreIn = (world: KopiurWorld): Promise<Restore> => world.client.get(restoreResource, RESTORE);

/** Restores the first Backup into the volume that it is of. */
async function restoreInPlace(world: KopiurWorld, reason: string): Promise<void> {
  const spec = {
    source: { backupRef: { name: "one" } },
    target: { pvcRef: { name: "data", backupFirst: false } },
    options: { existingFiles: "Overwrite" },
  };
  await world.client.create(restoreResource, { metadata: RESTORE, spec } as unknown as Restore);
  await world.until(
    `the Restore says ${reason}`,
    async () => reasonIn(await restoreIn(world)) === reason,
    200,
  );
}

function startedFor(world: KopiurWorld, name: string): readonly string[] {
  return world.node.started.filter((run) => run.startsWith(`${name}-`));
}

async function finishMover(world: KopiurWorld): Promise<void> {
  const { items } = await world.client.list(Pods, { namespace: NAMESPACE });
  await world.node.finish(items.find(({ status }) => status?.phase === "Running") as Pod);
}

describe.each(METHODS)("a volume that a Restore writes into, with the copy method %s,", (copyMethod) => {
  test("is backed up when that has ended, and not before", TIMEOUT, async () => {
    await using world = await backedUp({ copyMethod, restoreFates: [{ type: "goesOn" }] });
    await restoreInPlace(world, "Running");
    await world.backup("two");
    await world.until("it is held", () => isHeld(world), 60);
    await world.turns(90);
    expect(await isHeld(world)).toBe(true);
    expect(startedFor(world, "two")).toEqual([]);
    const claims = (await world.client.list(PersistentVolumeClaims, { namespace: NAMESPACE })).items;
    expect(claims.map(({ metadata }) => metadata.name).toSorted()).toEqual(["data", "store"]);
    expect((await world.client.list(VolumeSnapshots)).items).toEqual([]);

    await finishMover(world);
    await world.until("it is told of that", async () => !(await isHeld(world)), 10);
    await world.until("it has succeeded", () => hasSucceeded(world, "two"), 40);
    expect((await restoreIn(world)).status?.phase).toBe("Completed");
    expect(world.repository.snapshots).toHaveLength(2);
  });
});

test("a volume is not backed up between two attempts of a Restore", TIMEOUT, async () => {
  await using world = await backedUp({ restoreFates: [{ type: "fails", class: "Locked" }] });
  await restoreInPlace(world, "Locked");
  await world.backup("two");
  await world.until("it is held", () => isHeld(world), 20);
  await world.until("it has succeeded", () => hasSucceeded(world, "two"), 400);
  const [, second = ""] = startedFor(world, "again");
  const [first = ""] = startedFor(world, "two");
  expect(world.node.started.indexOf(second)).toBeGreaterThan(0);
  expect(world.node.started.indexOf(first)).toBeGreaterThan(world.node.started.indexOf(second));
});

test("what was captured before a Restore began is backed up, whatever that writes", TIMEOUT, async () => {
  await using world = await backedUp({
    copyMethod: "Snapshot",
    fates: [{ type: "succeeds" }, { type: "fails", class: "Locked" }],
    restoreFates: [{ type: "goesOn" }],
  });
  await world.backup("two");
  await world.until("it failed", async () => reasonIn(await backupIn(world, "two")) === "Locked", 200);
  await restoreInPlace(world, "Running");
  await world.until("it has succeeded", () => hasSucceeded(world, "two"), 300);
  expect(reasonIn(await restoreIn(world))).toBe("Running");
});

test("a Restore that waits for a Backup of its own volume does not hold that up", TIMEOUT, async () => {
  await using world = await new KopiurWorld({}).start();
  await restoreInPlace(world, "BackupNotFound");
  await world.backup("one");
  const completed = async () => (await restoreIn(world)).status?.phase === "Completed";
  await world.until("it is restored", completed, 400);
});

test("a volume is backed up before a Restore overwrites it, without a word of anybody", TIMEOUT, async () => {
  await using world = await backedUp({});
  const spec = {
    source: { backupRef: { name: "one" } },
    target: { pvcRef: { name: "data" } },
    options: { enableFileDeletion: true },
  };
  await world.client.create(restoreResource, { metadata: RESTORE, spec } as unknown as Restore);
  await world.until(
    "it is restored",
    async () => (await restoreIn(world)).status?.phase === "Completed",
    400,
  );
  const { safetyBackup = "" } = (await restoreIn(world)).status ?? {};
  expect(await hasSucceeded(world, safetyBackup)).toBe(true);
  const [first = ""] = startedFor(world, safetyBackup);
  const [wrote = ""] = startedFor(world, "again");
  expect(world.node.started.indexOf(first)).toBeLessThan(world.node.started.indexOf(wrote));
});
