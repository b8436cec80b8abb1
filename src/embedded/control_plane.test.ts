import { afterEach, describe, expect, test } from "vitest";
import { isAlreadyExists, isNotFound } from "../kube/api_error.ts";
import {
  ConfigMaps,
  CustomResourceDefinitions,
  Deployments,
  Namespaces,
  Pods,
  ServiceAccounts,
} from "../kube/builtin.ts";
import { Informers } from "../kube/cache/informers.ts";
import { HttpClient } from "../kube/client/http_client.ts";
import { type KubeObject, keyOf } from "../kube/object.ts";
import type { Resource } from "../kube/resource.ts";
import { seededRandom } from "../lib/random.ts";
import { VirtualClock } from "../lib/virtual_clock.ts";
import { silentLogger } from "../observe/log.ts";
import { noWatchObserver } from "../observe/observers.ts";
import { ControlPlane } from "./control_plane.ts";
import { JournalError } from "./store/journal.ts";
import { MemoryStore } from "./store/memory_store.ts";
import type { Store } from "./store/store.ts";

const Widgets: Resource<KubeObject & { spec?: unknown }> = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};

const widgetCrd = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { size: { type: "integer", default: 1 } } } },
          },
        },
      },
    ],
  },
};

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort(new Error("the test is over"));
});

function started(store?: Store) {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const stop = new AbortController();
  stops.push(stop);
  const memory = store ?? new MemoryStore({ clock });
  const plane = new ControlPlane({ store: memory, clock, random });
  const running = plane.run(stop.signal);
  const client = new HttpClient({ sender: plane.sender, clock, random });
  const end = async () => {
    stop.abort(new Error("told to"));
    await clock.advance(0);
    await running;
  };
  return { clock, random, client, plane, stop, store: memory, end };
}

const inDefault = (name: string) => ({ namespace: "default", name });

describe("from the beginning", () => {
  test("the usual namespaces are there, each with its service account", async () => {
    const { client, clock } = started();
    const { items } = await client.list(Namespaces);
    expect(items.map(({ metadata }) => metadata.name)).toEqual([
      "default",
      "kube-node-lease",
      "kube-public",
      "kube-system",
    ]);
    await clock.advance(0);
    expect((await client.get(ServiceAccounts, inDefault("default"))).metadata.uid).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  test("the kinds of snapshots and populators are served", async () => {
    const { client } = started();
    const snapshots = {
      ...Widgets,
      group: "snapshot.storage.k8s.io",
      kind: "VolumeSnapshot",
      plural: "volumesnapshots",
    };
    expect(await client.serves(snapshots)).toBe(true);
  });
});

test("an update takes a deleted object away only with its last finalizer", async () => {
  const { client } = started();
  const finalizers = ["example.com/one", "example.com/two"];
  await client.create(ConfigMaps, { metadata: { ...inDefault("held"), finalizers } });
  await client.delete(ConfigMaps, inDefault("held"));
  const held = await client.get(ConfigMaps, inDefault("held"));
  const left = (names: readonly string[], from = held) =>
    client.update(ConfigMaps, { ...from, metadata: { ...from.metadata, finalizers: names } });
  const one = await left(finalizers.slice(1));
  expect((await client.get(ConfigMaps, inDefault("held"))).metadata.finalizers).toEqual(["example.com/two"]);
  await left([], one);
  await expect(client.get(ConfigMaps, inDefault("held"))).rejects.toSatisfy(isNotFound);
});

test("an informer follows it unchanged", async () => {
  const { client, clock, random, stop } = started();
  await client.create(ConfigMaps, { metadata: inDefault("first") });
  const informers = new Informers({ client, clock, random, log: silentLogger, observer: noWatchObserver });
  const cache = informers.cache({ resource: ConfigMaps });
  const seen: string[] = [];
  cache.onChange(({ type, key }) => seen.push(`${type} ${key}`));
  void informers.run(stop.signal);
  await cache.whenSynced();
  await client.create(ConfigMaps, { metadata: inDefault("second"), data: { a: "1" } });
  await client.patch(ConfigMaps, inDefault("first"), { type: "merge", patch: { data: { b: "2" } } });
  await client.delete(ConfigMaps, inDefault("second"));
  await clock.advance(0);
  expect(seen).toEqual([
    "added default/first",
    "added default/second",
    "updated default/first",
    "removed default/second",
  ]);
  expect(cache.get(keyOf(inDefault("first")))).toMatchObject({ data: { b: "2" } });
});

test("writers of one object that meet each other all succeed", async () => {
  const { client } = started();
  await client.create(ConfigMaps, { metadata: inDefault("shared") });
  const keys = Array.from({ length: 20 }, (_, i) => `key-${i}`);
  await Promise.all(
    keys.map((key) =>
      client.patch(ConfigMaps, inDefault("shared"), { type: "merge", patch: { data: { [key]: "x" } } }),
    ),
  );
  const { data } = await client.get(ConfigMaps, inDefault("shared"));
  expect(Object.keys(data ?? {}).sort()).toEqual(keys.sort());
});

test("of two creations of one name one wins", async () => {
  const { client } = started();
  const attempts = await Promise.allSettled(
    [1, 2].map((n) => client.create(ConfigMaps, { metadata: inDefault("one"), data: { n: String(n) } })),
  );
  const [lost, ...others] = attempts.filter(({ status }) => status === "rejected");
  expect(others).toEqual([]);
  expect(isAlreadyExists((lost as PromiseRejectedResult).reason)).toBe(true);
});

test("a name that is generated is made anew when it is taken", async () => {
  const { client, random } = started();
  await client.list(Namespaces);
  let calls = 0;
  random.next = () => (calls++ < 12 ? 0 : 0.99);
  const metadata = { namespace: "default", generateName: "made-" };
  const first = await client.create(ConfigMaps, { metadata });
  const second = await client.create(ConfigMaps, { metadata });
  expect(first.metadata.name).toBe("made-bbbbb");
  expect(second.metadata.name).toMatch(/^made-[b9]{5}$/);
});

test("a write that finds the disk full is refused with what to do, reads go on, and later so do writes", async () => {
  let full = false;
  const journal = {
    load: () => ({ revision: 1, objects: [] }),
    append: () => {
      if (full) throw new JournalError("the disk is full: free some space");
    },
    close: () => {},
  };
  const { client } = started(new MemoryStore({ clock: new VirtualClock(), journal }));
  await client.create(ConfigMaps, { metadata: inDefault("a") });
  full = true;
  await expect(client.create(ConfigMaps, { metadata: inDefault("b") })).rejects.toMatchObject({
    code: 500,
    reason: "InternalError",
    message: expect.stringContaining("the disk is full: free some space"),
  });
  const names = async () => (await client.list(ConfigMaps)).items.map(({ metadata }) => metadata.name);
  expect(await names()).toEqual(["a"]);
  full = false;
  await client.create(ConfigMaps, { metadata: inDefault("b") });
  expect(await names()).toEqual(["a", "b"]);
});

describe("custom kinds", () => {
  test("are served as soon as they are established, and again after a restart", async () => {
    const { client, clock, store, end } = started();
    await client.create(CustomResourceDefinitions, widgetCrd as never);
    await clock.advance(0);
    expect((await client.create(Widgets, { metadata: inDefault("w"), spec: {} })).spec).toEqual({ size: 1 });
    await end();
    const again = started(store);
    expect((await again.client.get(Widgets, inDefault("w"))).spec).toEqual({ size: 1 });
  });

  test("take their objects along when they go", async () => {
    const { client, clock, store } = started();
    await client.create(CustomResourceDefinitions, widgetCrd as never);
    await clock.advance(0);
    await client.create(Widgets, { metadata: { ...inDefault("held"), finalizers: ["example.com/hold"] } });
    await client.create(Widgets, { metadata: inDefault("free") });
    await client.delete(CustomResourceDefinitions, { name: "widgets.example.com" });
    await clock.advance(0);
    const left = () => store.list("widgets.example.com").objects.map(({ metadata }) => metadata.name);
    expect(left()).toEqual(["held"]);
    await client.patch(Widgets, inDefault("held"), {
      type: "merge",
      patch: { metadata: { finalizers: null } },
    });
    await clock.advance(0);
    expect(left()).toEqual([]);
    await expect(client.get(CustomResourceDefinitions, { name: "widgets.example.com" })).rejects.toSatisfy(
      isNotFound,
    );
    expect(await client.serves(Widgets)).toBe(false);
  });
});

describe("owners", () => {
  async function owned(options: { blockOwnerDeletion?: boolean; finalizers?: string[] } = {}) {
    const world = started();
    const { client } = world;
    const { metadata } = await client.create(ConfigMaps, { metadata: inDefault("owner") });
    const { uid, name } = metadata;
    const { finalizers, ...reference } = options;
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name, uid, ...reference }];
    const dependent = { ...inDefault("dependent"), ownerReferences, ...(finalizers && { finalizers }) };
    await client.create(ConfigMaps, { metadata: dependent });
    const names = async () =>
      (await client.list(ConfigMaps, { namespace: "default" })).items.map(({ metadata }) => metadata.name);
    return { ...world, names };
  }

  test("take what they own along", async () => {
    const { client, clock, names } = await owned();
    await client.delete(ConfigMaps, inDefault("owner"));
    await clock.advance(0);
    expect(await names()).toEqual([]);
  });

  test("leave it behind when they are told to", async () => {
    const { client, clock, names } = await owned();
    await client.delete(ConfigMaps, inDefault("owner"), { propagation: "Orphan" });
    await clock.advance(0);
    expect(await names()).toEqual(["dependent"]);
    const { metadata } = await client.get(ConfigMaps, inDefault("dependent"));
    expect(metadata.ownerReferences).toBeUndefined();
  });

  test("wait for what blocks them when they go last", async () => {
    const hold = ["example.com/hold"];
    const { client, clock, names } = await owned({ blockOwnerDeletion: true, finalizers: hold });
    await client.delete(ConfigMaps, inDefault("owner"), { propagation: "Foreground" });
    await clock.advance(0);
    expect(await names()).toEqual(["dependent", "owner"]);
    const patch = { metadata: { finalizers: null } };
    await client.patch(ConfigMaps, inDefault("dependent"), { type: "merge", patch });
    await clock.advance(0);
    expect(await names()).toEqual([]);
  });

  test("may change their minds while they wait", async () => {
    const { client, end } = await owned();
    await client.list(Namespaces);
    await end();
    const finalizersAfter = async (propagation: "Orphan" | "Foreground") => {
      await client.delete(ConfigMaps, inDefault("owner"), { propagation });
      return (await client.get(ConfigMaps, inDefault("owner"))).metadata.finalizers;
    };
    expect(await finalizersAfter("Orphan")).toEqual(["orphan"]);
    expect(await finalizersAfter("Foreground")).toEqual(["foregroundDeletion"]);
  });

  test("that nobody knows a kind of keep what they own", async () => {
    const { client, clock } = started();
    const ownerReferences = [{ apiVersion: "unknown.example.com/v1", kind: "Thing", name: "x", uid: "y" }];
    await client.create(ConfigMaps, { metadata: { ...inDefault("kept"), ownerReferences } });
    await clock.advance(60_000);
    expect((await client.get(ConfigMaps, inDefault("kept"))).metadata.deletionTimestamp).toBeUndefined();
  });

  test("that went while nobody looked take it along at the next start", async () => {
    const { client, clock, store, end } = started();
    const { metadata } = await client.create(ConfigMaps, { metadata: inDefault("owner") });
    await clock.advance(0);
    await end();
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: metadata.uid }];
    await client.create(ConfigMaps, { metadata: { ...inDefault("dependent"), ownerReferences } });
    await client.delete(ConfigMaps, inDefault("owner"));
    expect(store.list("configmaps").objects).toHaveLength(1);
    const again = started(store);
    await again.client.list(Namespaces);
    await again.clock.advance(0);
    expect(store.list("configmaps").objects).toHaveLength(0);
  });
});

describe("namespaces", () => {
  test("go when they are empty, and say what they wait for", async () => {
    const { client } = started();
    await client.create(Namespaces, { metadata: { name: "going" } });
    const held = { namespace: "going", name: "held" };
    await client.create(ConfigMaps, { metadata: { ...held, finalizers: ["example.com/hold"] } });
    await client.create(ConfigMaps, { metadata: { namespace: "going", name: "free" } });
    await client.delete(Namespaces, { name: "going" });
    const status = async () => (await client.get(Namespaces, { name: "going" })).status;
    await expect.poll(status).toMatchObject({
      phase: "Terminating",
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: "NamespaceContentRemaining",
          message: "Some resources are remaining: configmaps. has 1 resource instances",
        }),
        expect.objectContaining({
          type: "NamespaceFinalizersRemaining",
          message:
            "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
        }),
      ]),
    });
    await client.patch(ConfigMaps, held, { type: "merge", patch: { metadata: { finalizers: null } } });
    await expect.poll(() => status().catch(isNotFound)).toBe(true);
  });
});

test("a workload has the replicas that it asks for", async () => {
  const { client, clock } = started();
  const labels = { app: "web" };
  await client.create(Deployments, {
    metadata: inDefault("web"),
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "a", image: "b" }] } },
    },
  });
  await clock.advance(0);
  expect((await client.get(Deployments, inDefault("web"))).status).toEqual({
    observedGeneration: 1,
    replicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    updatedReplicas: 2,
  });
  expect((await client.setScale(Deployments, inDefault("web"), 0)).spec).toEqual({});
  await clock.advance(0);
  expect((await client.get(Deployments, inDefault("web"))).status).toEqual({ observedGeneration: 2 });
});

test("a pod that runs gets its grace period, and goes when its node says so", async () => {
  const { client, clock } = started();
  const spec = { nodeName: "here", containers: [{ name: "a", image: "b" }] };
  await client.create(Pods, { metadata: inDefault("pod"), spec });
  await client.delete(Pods, inDefault("pod"), { gracePeriodSeconds: 20 });
  const { metadata } = await client.get(Pods, inDefault("pod"));
  expect(metadata).toMatchObject({
    deletionTimestamp: "2026-01-01T00:00:20Z",
    deletionGracePeriodSeconds: 20,
    generation: 2,
  });
  await clock.advance(5_000);
  await client.delete(Pods, inDefault("pod"), { gracePeriodSeconds: 0 });
  await expect(client.get(Pods, inDefault("pod"))).rejects.toSatisfy(isNotFound);
});
