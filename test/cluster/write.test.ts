import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isConflict, isNotFound } from "../../src/kube/api_error.ts";
import { ConfigMaps, Deployments, Events, Namespaces } from "../../src/kube/builtin.ts";
import { EventRecorder } from "../../src/kube/write/events.ts";
import { addFinalizer, removeFinalizer } from "../../src/kube/write/finalizers.ts";
import { writeStatus } from "../../src/kube/write/status.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import { silentLogger as log } from "../../src/observe/log.ts";
import { enterWorld, eventually, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await enterWorld("write");
});
afterAll(() => world?.[Symbol.asyncDispose]());

describe("writeStatus()", () => {
  test("writes the difference alone, nothing when there is none, and refuses an old version", async () => {
    const { client, namespace } = world;
    const labels = { app: "status" };
    const object = await client.create(Deployments, {
      metadata: { namespace, name: "status" },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "none" }] } },
      },
    });
    const name = { namespace, name: "status" };
    await eventually("the controller has seen it", async () => {
      return (await client.get(Deployments, name)).status?.observedGeneration !== undefined;
    });
    const current = await client.get(Deployments, name);
    const status = { ...current.status, collisionCount: 3 };
    await expect(writeStatus(client, { resource: Deployments, object, status })).rejects.toSatisfy(
      isConflict,
    );
    const written = await writeStatus(client, { resource: Deployments, object: current, status });
    expect(written.status?.collisionCount).toBe(3);
    const again = await writeStatus(client, {
      resource: Deployments,
      object: written,
      status: written.status ?? {},
    });
    expect(again.metadata.resourceVersion).toBe(written.metadata.resourceVersion);
  });
});

describe("finalizers", () => {
  test("hold an object until the last is removed", async () => {
    const { client, namespace } = world;
    const resource = ConfigMaps;
    const object = await client.create(resource, { metadata: { namespace, name: "held" } });
    const held = await addFinalizer(client, { resource, object, finalizer: "example.com/hold" });
    const name = { namespace, name: "held" };
    await client.delete(resource, name);
    const going = await client.get(resource, name);
    expect(going.metadata.deletionTimestamp).toBeDefined();
    await expect(
      removeFinalizer(client, { resource, object: held, finalizer: "example.com/hold" }),
    ).rejects.toSatisfy(isConflict);
    await removeFinalizer(client, { resource, object: going, finalizer: "example.com/hold" });
    await expect(client.get(resource, name)).rejects.toSatisfy(isNotFound);
  });
});

describe("EventRecorder", () => {
  test("folds repeats into one Event, also for objects without a namespace", async () => {
    const { client, namespace } = world;
    const recorder = new EventRecorder({ writer: client, clock, random, log, component: "test" });
    const about = await client.get(Namespaces, { name: namespace });
    const note = { type: "Warning", reason: "TestRepeats", message: "once more" } as const;
    for (let i = 0; i < 3; i++) {
      recorder.event(about, note);
      await recorder.flush();
    }
    const fieldSelector = `involvedObject.name=${namespace},reason=TestRepeats`;
    const { items } = await client.list(Events, { namespace: "default", fieldSelector });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ count: 3, message: "once more", type: "Warning" });
  });
});
