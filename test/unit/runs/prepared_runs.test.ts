import { afterEach, describe, expect, test } from "vitest";
import { Pods } from "../../../src/kube/builtin.ts";
import type { Fate } from "./fake_node.ts";
import { RunWorld } from "./run_world.ts";

const timeout = 60_000;
let world: RunWorld;
afterEach(() => world.close());

/** A world with a prepared run, long after it has become so. */
async function prepared(...fates: readonly Fate[]): Promise<void> {
  world = await new RunWorld({ fates, uses: ["startSignal"], task: { startsBySignal: true } }).start();
  await world.turns(20, 30_000);
  expect(world.states.at(-1)).toBe("Working Prepared");
  expect(world.node.told).toEqual([]);
}

describe("a prepared run", { timeout }, () => {
  test("does its work once its owner says go, and its time counts from then", async () => {
    await prepared();
    expect(world.decision?.record).not.toHaveProperty("startedAt");
    world.go = true;
    const go = world.clock.now();
    const { outcome, startedAt = "" } = await world.settle();
    expect(outcome).toBe("Succeeded");
    expect(Date.parse(startedAt)).toBe(go);
    expect(world.node.told.length).toBeGreaterThan(0);
    expect(world.repository.snapshots).toHaveLength(1);
    expect(await world.leftovers()).toEqual([]);
  });

  test("that is cancelled is never told to start, and leaves nothing to be looked for", async () => {
    await prepared();
    world.cancel = true;
    world.go = true;
    const record = await world.settle();
    expect(record).toMatchObject({ outcome: "Cancelled", attempt: 1 });
    expect(record).not.toHaveProperty("leftovers");
    expect([world.node.told, world.node.started.length]).toEqual([[], 1]);
    expect(world.repository.snapshots).toEqual([]);
    expect(await world.leftovers()).toEqual([]);
  });

  test("that is lost is prepared anew, and the repository is not asked about it", async () => {
    await prepared();
    const { items } = await world.client.list(Pods, { namespace: "shop" });
    for (const { metadata } of items) await world.client.delete(Pods, metadata, { gracePeriodSeconds: 0 });
    world.go = true;
    expect(await world.settle()).toMatchObject({ outcome: "Succeeded", attempt: 2 });
    expect(world.states.some((state) => state.startsWith("Settling"))).toBe(false);
    expect(world.node.started).toHaveLength(2);
  });

  test("that goes on is told again by an operator that did not see it start", async () => {
    await prepared({ type: "goesOn" });
    world.go = true;
    await world.turns(3);
    expect(new Set(world.node.told).size).toBe(1);
    expect(world.node.told.length).toBeGreaterThan(1);
  });
});

test.each([
  [{ startsBySignal: true }, "StartSignalNotAllowed"],
  [{ hostVolume: { name: "data", hostPath: "/etc", readOnly: true } }, "HostPathNotAllowed"],
])("an API that has not declared %j is refused, and nothing is made", { timeout }, async (task, reason) => {
  world = await new RunWorld({ task }).start();
  await expect(world.reconcile()).rejects.toMatchObject({ class: "terminal", reason });
  expect(await world.objects()).toEqual([]);
});
