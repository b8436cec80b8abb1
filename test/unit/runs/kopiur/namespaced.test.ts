import { expect, test } from "vitest";
import { KopiurWorld } from "./kopiur_world.ts";

test("an operator of one namespace makes do with the rights to it, and with what it may not see", async () => {
  await using world = await new KopiurWorld({ namespaced: true, copyMethod: "Snapshot" }).start();
  await world.backup("first");
  await world.until("it has ended", async () => (await phase(world, "first")) === "Succeeded");
  await world.delete("first");
  await world.until("it is gone", async () => (await world.backups()).length === 0);
  await world.lifetimesPass();
  expect(await world.leftovers()).toEqual([]);
  expect(world.refused).toEqual([
    "cannot get persistentvolumes without a namespace",
    "cannot get volumesnapshotcontents in group snapshot.storage.k8s.io without a namespace",
  ]);
});

async function phase(world: KopiurWorld, name: string): Promise<string | undefined> {
  return (await world.backups()).find(({ metadata }) => metadata.name === name)?.status?.phase;
}
