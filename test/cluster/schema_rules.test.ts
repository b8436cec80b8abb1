import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CustomResourceDefinitions } from "../../src/kube/builtin.ts";
import type { Client } from "../../src/kube/client.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { celEvaluator } from "../../src/kube/schema/cel.ts";
import { crdOf } from "../../src/kube/schema/crd.ts";
import { sampleKind } from "../../src/kube/schema/sample_kind.ts";
import { systemRandom } from "../../src/lib/random.ts";
import {
  type AnyObject,
  connectToTestCluster,
  install,
  interpreterVerdict,
  serverVerdict,
  uninstall,
} from "./schema_cluster.ts";

const kind = { ...sampleKind, group: `rules-${systemRandom.hex(4)}.test.holdfast.dev` };
const crd = crdOf(kind);
const schema = crd.spec.versions[0]?.schema.openAPIV3Schema ?? {};
const cel = celEvaluator();
const filesystem = { backend: { filesystem: { path: "/a" } } };

let client: Client;
let resource: Resource<AnyObject>;
beforeAll(async () => {
  client = await connectToTestCluster();
  resource = await install(client, crd);
});
afterAll(() => uninstall(client, kind.group));

describe("a kind that uses the whole vocabulary, on creation", () => {
  const creations: readonly (readonly [string, object])[] = [
    ["takes the least there can be", filesystem],
    [
      "takes everything",
      {
        ...filesystem,
        namespace: "n",
        owner: "o",
        snapshot: "s",
        mode: "Fast",
        ratio: null,
        size: "10Gi",
        timeout: "1h30m",
        after: "2026-01-01T00:00:00Z",
        tags: ["a", "b"],
        items: [
          { name: "a", port: "http" },
          { name: "a", protocol: "UDP", port: 53 },
        ],
        labels: { a: "b" },
        annotations: { c: "d" },
        podTemplate: { spec: { containers: [] } },
        object: { apiVersion: "v1", kind: "Pod", spec: {} },
        window: { from: 1, until: 2 },
      },
    ],
    ["refuses a union without a member", { backend: {} }],
    ["refuses a union with two members", { backend: { s3: { bucket: "abc" }, filesystem: { path: "/" } } }],
    ["refuses a rule's failure at the field it names", { ...filesystem, window: { from: 3, until: 2 } }],
    ["leaves rules alone when the shape is wrong", { backend: {}, tags: "many" }],
    ["still runs rules beside a value that is only out of range", { backend: {}, replicas: 11 }],
    [
      "refuses items with the same key, defaults included",
      { ...filesystem, items: [{ name: "a" }, { name: "a", protocol: "TCP" }] },
    ],
    ["refuses a word twice in a set", { ...filesystem, tags: ["a", "a", "a"] }],
    ["refuses a quantity and a duration that are none", { ...filesystem, size: "10 Gi", timeout: "1d" }],
    ["refuses an embedded object without a kind", { ...filesystem, object: { spec: {} } }],
    ["prunes what it does not know", { ...filesystem, other: 1, podTemplate: { any: { thing: 1 } } }],
  ];
  test.each(creations)("%s", async (_, spec) => {
    const object = { metadata: { name: "it", namespace: "default" }, spec };
    const theirs = await serverVerdict((options) => client.create(resource, object, options));
    expect(interpreterVerdict(schema, object, { cel })).toEqual(theirs);
  });
});

test("a rule at the root sees the object's name", async () => {
  const object = { metadata: { name: "n".repeat(41), namespace: "default" }, spec: filesystem };
  const theirs = await serverVerdict((options) => client.create(resource, object, options));
  expect(theirs).toEqual({ problems: [expect.stringContaining("the name may have at most 40 characters")] });
  expect(interpreterVerdict(schema, object, { cel })).toEqual(theirs);
});

describe("a kind that uses the whole vocabulary, on update", () => {
  const updates: readonly (readonly [string, object, object])[] = [
    ["takes no change", filesystem, filesystem],
    ["refuses another value of an immutable field", filesystem, { ...filesystem, mode: "Fast" }],
    ["refuses an immutable field that comes", filesystem, { ...filesystem, owner: "o", namespace: "n" }],
    ["refuses an immutable field that goes", { ...filesystem, owner: "o" }, filesystem],
    ["takes a field that is set once, later", filesystem, { ...filesystem, snapshot: "s" }],
    [
      "refuses another value of what was set once",
      { ...filesystem, snapshot: "s" },
      { ...filesystem, snapshot: "t" },
    ],
    ["refuses to lose what was set once", { ...filesystem, snapshot: "s" }, filesystem],
    [
      "knows items by their keys, wherever they stand",
      {
        ...filesystem,
        items: [
          { name: "a", serial: 1 },
          { name: "b", serial: 2 },
        ],
      },
      {
        ...filesystem,
        items: [
          { name: "b", serial: 2 },
          { name: "c", serial: 9 },
          { name: "a", serial: 1 },
        ],
      },
    ],
    [
      "refuses a change within an item that moved",
      { ...filesystem, items: [{ name: "a", serial: 1 }] },
      { ...filesystem, items: [{ name: "b" }, { name: "a", serial: 2 }] },
    ],
    ["takes another member of the union", filesystem, { backend: { s3: { bucket: "abc" } } }],
  ];
  test.each(updates)("%s", async (_, before, after) => {
    const name = `update-${systemRandom.hex(4)}`;
    const old = await client.create(resource, { metadata: { name, namespace: "default" }, spec: before });
    const object = { ...old, spec: after };
    const theirs = await serverVerdict((options) => client.update(resource, object, options));
    expect(interpreterVerdict(schema, object, { cel, old })).toEqual(theirs);
  });
});

test("the names and columns of a kind are taken", async () => {
  const { spec, status } = await client.get(CustomResourceDefinitions, { name: crd.metadata.name });
  expect(status).toMatchObject({ acceptedNames: crd.spec.names });
  const columns = crd.spec.versions[0]?.additionalPrinterColumns;
  expect(columns).toHaveLength(3);
  expect(spec).toMatchObject({ versions: [{ additionalPrinterColumns: columns }] });
});

test("the subresources of a kind are served", async () => {
  const name = `scaled-${systemRandom.hex(4)}`;
  await client.create(resource, {
    metadata: { name, namespace: "default" },
    spec: { ...filesystem, replicas: 3 },
  });
  const scale = await client.setScale(resource, { name, namespace: "default" }, 5);
  expect(scale.spec.replicas).toBe(5);
  const patch = { type: "merge", patch: { status: { phase: "Done" } } } as const;
  const done = await client.patch(resource as Resource, { name, namespace: "default" }, patch as never, {
    subresource: "status",
  });
  expect(done).toMatchObject({ spec: { replicas: 5 }, status: { phase: "Done" } });
});
