import { expect, test } from "vitest";
import { Events } from "../../../../src/kube/builtin.ts";
import type { Fate } from "../fake_node.ts";
import { KopiurWorld, NAMESPACE } from "./kopiur_world.ts";

const MINUTE = 60;
const worksOn: Fate = { type: "worksOn" };

async function succeeded(world: KopiurWorld) {
  await world.until(
    "it has succeeded",
    async () => (await world.backups())[0]?.status?.phase === "Succeeded",
    300,
  );
  const [backup] = await world.backups();
  return backup?.status;
}

test("what a mover leaves late that nobody could end is deleted, whenever it comes", {
  timeout: 120_000,
}, async () => {
  for (const minutes of [0, 5, 40]) {
    await using world = await new KopiurWorld({ fates: [worksOn] }).start();
    await world.backup("a");
    const status = await succeeded(world);
    expect(status?.job?.attempts).toBe(2);
    await world.clock.advance(minutes * MINUTE * 1000);
    await world.turns(3);
    world.node.workOn();
    expect(world.repository.snapshots).toHaveLength(2);
    await world.stopOperator();
    await world.clock.advance(60 * MINUTE * 1000);
    await world.until("one is left", async () => world.repository.snapshots.length === 1, 60);
    expect(world.repository.snapshots[0]?.run).toBe(status?.job?.runID);
    expect((await world.backups())[0]?.status).toMatchObject({
      phase: "Succeeded",
      snapshots: status?.snapshots,
    });
    await world.turns(5);
    const { items } = await world.client.list(Events, { namespace: NAMESPACE });
    expect(items.map(({ reason }) => reason)).toContain("LateSnapshotDeleted");
    expect(await world.leftovers()).toEqual([]);
  }
});

test("what came before the repository was asked counts, and nothing is looked for", {
  timeout: 60_000,
}, async () => {
  await using world = await new KopiurWorld({ fates: [{ type: "vanishes", sources: 1 }] }).start();
  await world.backup("a");
  const status = await succeeded(world);
  expect(status?.job?.attempts).toBe(1);
  const movers = world.node.started.length;
  await world.clock.advance(60 * MINUTE * 1000);
  await world.turns(20);
  expect(world.node.started).toHaveLength(movers);
  expect(world.repository.snapshots).toHaveLength(1);
});

test("a Backup that is deleted takes along what came late", { timeout: 60_000 }, async () => {
  await using world = await new KopiurWorld({ fates: [worksOn] }).start();
  await world.backup("a");
  await succeeded(world);
  world.node.workOn();
  await world.delete("a");
  await world.until("it is gone", async () => (await world.backups()).length === 0, 100);
  expect(world.repository.snapshots).toEqual([]);
});
