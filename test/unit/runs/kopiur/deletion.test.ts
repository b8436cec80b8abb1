import { expect, test } from "vitest";
import { ANNOTATIONS, DELETION_REASON_ANNOTATION } from "../../../../src/kinds/kopiur/annotations.ts";
import { backupResource } from "../../../../src/kinds/kopiur/generated/backup.ts";
import { repositoryResource } from "../../../../src/kinds/kopiur/generated/repository.ts";
import { Events, Namespaces, PersistentVolumeClaims } from "../../../../src/kube/builtin.ts";
import { KopiurWorld, NAMESPACE } from "./kopiur_world.ts";

const NAMES = ["a", "b", "c", "d"];

async function withBackups(maxDeletions: number): Promise<KopiurWorld> {
  const world = await new KopiurWorld({ maxDeletions }).start();
  for (const name of NAMES) await world.backup(name);
  await world.until("all have succeeded", async () =>
    (await world.backups()).every(({ status }) => status?.phase === "Succeeded"),
  );
  return world;
}

const reasons = async (world: KopiurWorld) =>
  (await world.backups()).map(
    ({ status }) => status?.conditions?.find(({ type }) => type === "Ready")?.reason,
  );
const gone = async (world: KopiurWorld) => (await world.backups()).length === 0;

test("many deletions at once are held, through a restart, until somebody acknowledges them", {
  timeout: 60_000,
}, async () => {
  await using world = await withBackups(2);
  for (const name of NAMES) await world.delete(name);
  await world.turns(30);
  await world.stopOperator();
  await world.turns(30);
  expect(await reasons(world)).toEqual(NAMES.map(() => "DeletionHeld"));
  expect(world.repository.snapshots).toHaveLength(4);
  const { metadata, status } = await world.nas();
  expect(status?.conditions).toContainEqual(
    expect.objectContaining({ type: "DeletionsHeld", status: "True" }),
  );
  expect(status?.deletions?.held).toBe(4);
  const annotations = { [ANNOTATIONS.acknowledgeDeletions]: status?.deletions?.acknowledgeToken ?? "" };
  await world.client.patch(repositoryResource, metadata, {
    type: "merge",
    patch: { metadata: { annotations } },
  });
  await world.until("all are gone", () => gone(world), 100);
  expect(world.repository.snapshots).toEqual([]);
  await world.turns(3);
  expect((await world.nas()).status?.deletions?.held).toBeUndefined();
});

test("deletions one after the other are held as well, once there are too many", {
  timeout: 60_000,
}, async () => {
  await using world = await withBackups(2);
  for (const name of NAMES) {
    await world.delete(name);
    await world.turns(25);
  }
  expect(await reasons(world)).toEqual(["DeletionHeld", "DeletionHeld"]);
  expect(world.repository.snapshots).toHaveLength(2);
});

test("what is held goes without its snapshots, when its policy is changed", { timeout: 60_000 }, async () => {
  await using world = await withBackups(2);
  for (const name of NAMES) await world.delete(name);
  await world.turns(15);
  for (const name of NAMES) {
    const patch = { type: "merge", patch: { spec: { deletionPolicy: "Retain" } } } as const;
    await world.client.patch(backupResource, { namespace: NAMESPACE, name }, patch);
  }
  await world.until("all are gone", () => gone(world), 100);
  expect(world.repository.snapshots).toHaveLength(4);
});

test("what the operator deletes itself is not held", { timeout: 60_000 }, async () => {
  await using world = await withBackups(2);
  for (const name of NAMES) {
    await world.annotate(name, { [DELETION_REASON_ANNOTATION]: "Retention" });
    await world.delete(name);
  }
  await world.until("all are gone", () => gone(world), 100);
  expect(world.repository.snapshots).toEqual([]);
});

test("a repository that is away blocks a deletion, says so, and lists it; the annotation lets go", {
  timeout: 60_000,
}, async () => {
  await using world = await withBackups(20);
  await world.client.delete(PersistentVolumeClaims, { namespace: NAMESPACE, name: "store" });
  await world.turns(25);
  await world.delete("a");
  await world.turns(25);
  expect(await reasons(world)).toContain("RepositoryNotReady");
  expect((await world.nas()).status?.deletions?.oldest).toMatchObject([
    { backup: "shop/a", reason: "RepositoryNotReady" },
  ]);
  await world.annotate("a", { [ANNOTATIONS.skipSnapshotCleanup]: "true" });
  await world.until("it is gone", async () => (await world.backups()).length === 3, 50);
  expect(world.repository.snapshots).toHaveLength(4);
  const events = (await world.client.list(Events, { namespace: NAMESPACE })).items;
  expect(
    events.some(({ reason, message = "" }) => reason === "SnapshotOrphaned" && message.includes("k")),
  ).toBe(true);
});

test("in a namespace that is deleted Backups go at once, and their snapshots stay", {
  timeout: 60_000,
}, async () => {
  await using world = await withBackups(2);
  await world.client.delete(Namespaces, { name: NAMESPACE });
  await world.until("all are gone", () => gone(world), 20);
  expect(world.repository.snapshots).toHaveLength(4);
});
