import { describe, expect, test } from "vitest";
import { SAFETY_TAG } from "../../../../src/core/catalog/passed_over.ts";
import { ACKNOWLEDGE_INCOMPLETE, incompleteSince } from "../../../../src/core/restore/target_incomplete.ts";
import { TARGET_INCOMPLETE } from "../../../../src/core/volumes/half_written.ts";
import { VolumeSnapshots } from "../../../../src/core/volumes/staging/snapshot_kinds.ts";
import type { Backup } from "../../../../src/kinds/kopiur/generated/backup.ts";
import { type Restore, restoreResource } from "../../../../src/kinds/kopiur/generated/restore.ts";
import { PersistentVolumeClaims, type Pod, Pods } from "../../../../src/kube/builtin.ts";
import type { Patch } from "../../../../src/kube/client.ts";
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
    target: { pvcRef: { name: "data" } },
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

describe("a volume that a Restore left half written", () => {
  async function halfWritten(): Promise<KopiurWorld> {
    const world = await backedUp({ restoreFates: [{ type: "fails", class: "TargetFull" }] });
    await restoreInPlace(world, "TargetFull");
    await world.until("it has failed", async () => (await restoreIn(world)).status?.phase === "Failed", 900);
    await world.backup("two");
    await world.until("it is held", () => isHalfWritten(world), 60);
    return world;
  }

  async function isHalfWritten(world: KopiurWorld): Promise<boolean> {
    return reasonIn(await backupIn(world, "two")) === "VolumeHalfWritten";
  }

  test("is not backed up before another one has completed, also without the first", TIMEOUT, async () => {
    await using world = await halfWritten();
    const [told] = (await backupIn(world, "two"))?.status?.conditions ?? [];
    expect(told?.message).toContain("holdfast acknowledge restore/again -n shop");
    await world.client.delete(restoreResource, RESTORE);
    await world.turns(400);
    expect(await isHalfWritten(world)).toBe(true);
    expect(startedFor(world, "two")).toEqual([]);

    await restoreInPlace(world, "Completed");
    await world.until("it has succeeded", () => hasSucceeded(world, "two"), 60);
    expect((await claim(world)).metadata.annotations?.[TARGET_INCOMPLETE]).toBeUndefined();
  });

  test("is backed up before it is restored again, and when somebody takes it as it is", TIMEOUT, async () => {
    await using world = await halfWritten();
    await world.backup("before", { tags: { [SAFETY_TAG]: "next" } });
    await world.until("there is what undoes", () => hasSucceeded(world, "before"), 60);
    expect(await isHalfWritten(world)).toBe(true);

    const since = incompleteSince((await restoreIn(world)).status);
    const patch = { metadata: { annotations: { [ACKNOWLEDGE_INCOMPLETE]: since } } };
    await world.client.patch(restoreResource, RESTORE, { type: "merge", patch } as Patch<Restore>);
    await world.until("it has succeeded", () => hasSucceeded(world, "two"), 60);
    expect((await restoreIn(world)).status?.phase).toBe("Failed");
    expect(world.node.started.filter((run) => run.startsWith("again-"))).toHaveLength(1);
  });

  test("is not backed up where the Restore is deleted while it writes", TIMEOUT, async () => {
    await using world = await backedUp({ restoreFates: [{ type: "goesOn" }] });
    await restoreInPlace(world, "Running");
    await world.client.delete(restoreResource, RESTORE);
    await world.backup("two");
    await world.until("it is held", () => isHalfWritten(world), 60);
    expect(startedFor(world, "two")).toEqual([]);
  });

  async function claim(world: KopiurWorld) {
    return world.client.get(PersistentVolumeClaims, { namespace: NAMESPACE, name: "data" });
  }
});
