import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigMaps, Jobs, Namespaces, Nodes, Pods } from "../../../src/kube/builtin.ts";
import type { DeleteOptions } from "../../../src/kube/client.ts";
import { type Fate, NODE } from "./fake_node.ts";
import { OWNER, RunWorld } from "./run_world.ts";

const timeout = 60_000;
let world: RunWorld;
afterEach(() => world.close());

async function begun(...fates: readonly Fate[]): Promise<RunWorld> {
  world = await new RunWorld({ fates }).start();
  await world.turns(8);
  expect(world.states.at(-1)).toBe("Working Running");
  return world;
}

async function deletePods(options: DeleteOptions = {}): Promise<void> {
  const { items } = await world.client.list(Pods, { namespace: "shop" });
  for (const { metadata } of items) await world.client.delete(Pods, metadata, options);
}

async function deleteJobs(): Promise<void> {
  const { items } = await world.client.list(Jobs, { namespace: "shop" });
  for (const { metadata } of items) await world.client.delete(Jobs, metadata, { propagation: "Background" });
}

describe("a task that is cancelled", { timeout }, () => {
  test("while it runs ends with its mover's own words, and leaves nothing", async () => {
    await begun({ type: "goesOn" });
    world.cancel = true;
    expect(await world.settle()).toMatchObject({ outcome: "Cancelled" });
    expect(world.node.started).toHaveLength(1);
    expect(await world.leftovers()).toEqual([]);
  });

  test("before anything began makes nothing", async () => {
    world = await new RunWorld().start();
    world.cancel = true;
    expect(await world.settle()).toMatchObject({ outcome: "Cancelled" });
    expect(world.node.started).toEqual([]);
    expect(await world.objects()).toEqual([]);
  });
});

describe("when somebody else ends a mover", { timeout }, () => {
  test("by deleting its pod, the work is done again", async () => {
    await begun({ type: "goesOn" });
    await deletePods();
    expect(await world.settle()).toMatchObject({ outcome: "Succeeded", attempt: 2 });
    expect(world.repository.snapshots).toHaveLength(1);
    expect(await world.leftovers()).toEqual([]);
  });

  test("by deleting its Job, the work is done again", async () => {
    await begun({ type: "goesOn" });
    await deleteJobs();
    expect(await world.settle()).toMatchObject({ outcome: "Succeeded", attempt: 2 });
    expect(world.repository.snapshots).toHaveLength(1);
    expect(await world.leftovers()).toEqual([]);
  });

  test("without a trace, the repository is asked, and the work is done again under another ID", async () => {
    await begun({ type: "hangs" });
    await deleteJobs();
    await deletePods({ gracePeriodSeconds: 0 });
    expect(await world.settle()).toMatchObject({ outcome: "Succeeded", attempt: 2 });
    expect(world.states).toContain("Settling Running");
    expect(new Set(world.node.started).size).toBe(3);
    expect(world.node.started).toHaveLength(3);
    expect(await world.leftovers()).toEqual([]);
  });
});

describe("when a node dies under its mover", { timeout }, () => {
  beforeEach(async () => {
    await begun({ type: "hangs" });
    await deletePods();
  });

  test("and is gone from the cluster, the pod is reaped and the work done again", async () => {
    expect(await world.settle()).toMatchObject({ outcome: "Succeeded", attempt: 2 });
    expect(world.states).toContain("Held");
    expect(world.node.started).toHaveLength(3);
    expect(world.repository.snapshots).toHaveLength(1);
    expect(await world.leftovers()).toEqual([]);
  });

  test("and only does not answer, nothing begins until somebody says that it is dead", async () => {
    await world.client.create(Nodes, { metadata: { name: NODE } });
    await world.turns(60, 60_000);
    expect(world.decision?.state).toMatchObject({ phase: "Held", reason: "NodeSilent" });
    expect(world.node.started).toHaveLength(1);
    await world.client.delete(Nodes, { name: NODE });
    expect(await world.settle()).toMatchObject({ outcome: "Succeeded", attempt: 2 });
  });
});

test("in a namespace that goes away nothing begins, and the reason is clear", { timeout }, async () => {
  world = await new RunWorld().start();
  const patch = { metadata: { finalizers: ["example.com/stays"] } };
  await world.client.patch(ConfigMaps, OWNER, { type: "merge", patch });
  await world.client.delete(Namespaces, { name: "shop" });
  await expect(world.reconcile()).rejects.toMatchObject({
    class: "terminal",
    reason: "NamespaceTerminating",
  });
});
