import { expect, test } from "vitest";
import { builtinKinds } from "./builtin_kinds.ts";
import { kindsOfCrd } from "./crd_kinds.ts";
import { discovery } from "./discovery.ts";

const version = (name: string) => ({
  name,
  served: true,
  storage: name === "v1",
  schema: { openAPIV3Schema: { type: "object" as const } },
});
const names = {
  kind: "Thing",
  listKind: "ThingList",
  plural: "things",
  singular: "thing",
  categories: ["all"],
};
const things = kindsOfCrd({
  spec: {
    group: "example.com",
    scope: "Cluster",
    names,
    versions: ["v1alpha1", "v1", "v2beta1", "v10", "v1beta2"].map(version),
  },
});
const kinds = [...builtinKinds, ...things];
const get = (path: string, accept = "application/json") =>
  discovery(kinds, path, accept) as Record<string, unknown>;

test("versions of a group are ordered by stability, then by number", () => {
  const { versions, preferredVersion } = get("/apis/example.com") as {
    versions: { version: string }[];
    preferredVersion: { version: string };
  };
  expect(versions.map((entry) => entry.version)).toEqual(["v10", "v1", "v2beta1", "v1beta2", "v1alpha1"]);
  expect(preferredVersion.version).toBe("v10");
});

test("the core group is under /api, all others under /apis", () => {
  expect(get("/api")).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
  const { groups } = get("/apis/") as { groups: { name: string }[] };
  expect(groups.map(({ name }) => name)).toContain("batch");
  expect(groups.map(({ name }) => name)).not.toContain("");
});

test("a list of resources names their subresources", () => {
  const { resources } = get("/apis/apps/v1") as { resources: { name: string; kind: string }[] };
  expect(resources.map(({ name }) => name)).toEqual([
    "deployments",
    "deployments/scale",
    "deployments/status",
    "statefulsets",
    "statefulsets/scale",
    "statefulsets/status",
  ]);
  expect(resources.find(({ name }) => name === "deployments/scale")).toMatchObject({
    group: "autoscaling",
    version: "v1",
    kind: "Scale",
  });
});

test("who understands it gets all groups in one answer", () => {
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
  const { kind, items } = get("/apis", accept) as { kind: string; items: { metadata: { name: string } }[] };
  expect(kind).toBe("APIGroupDiscoveryList");
  expect(items.find(({ metadata }) => metadata.name === "example.com")).toMatchObject({
    versions: [
      { version: "v10", resources: [{ resource: "things", scope: "Cluster", categories: ["all"] }] },
      {},
      {},
      {},
      {},
    ],
  });
});

test.each(["/", "/nothing", "/apis/nobody.example.com", "/apis/batch/v2", "/api/v2", "/apis/batch/v1/jobs"])(
  "%s is not for discovery",
  (path) => {
    expect(discovery(kinds, path, "")).toBeUndefined();
  },
);
