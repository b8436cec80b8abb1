import { expect, test } from "vitest";
import { bundledCrds } from "./bundled_crds.ts";
import { type AnyCrd, kindsOfCrd } from "./crd_kinds.ts";

const schema = {
  openAPIV3Schema: {
    type: "object" as const,
    properties: {
      metadata: { type: "object" as const, properties: { name: { type: "string" as const, maxLength: 5 } } },
      spec: { type: "object" as const, properties: { color: { type: "string" as const } } },
    },
  },
};

const crd: AnyCrd = {
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Thing", listKind: "ThingList", plural: "things", singular: "thing", shortNames: ["th"] },
    versions: [
      { name: "v1", served: true, storage: true, schema, subresources: { status: {} } },
      {
        name: "v1beta1",
        served: true,
        storage: false,
        schema,
        selectableFields: [{ jsonPath: ".spec.color" }],
      },
      { name: "v1alpha1", served: false, storage: false, schema },
    ],
  },
};

test("each served version is a kind, stored in one of them", () => {
  const kinds = kindsOfCrd(crd);
  expect(kinds.map(({ resource, storageVersion }) => [resource.version, storageVersion])).toEqual([
    ["v1", "v1"],
    ["v1beta1", "v1"],
  ]);
  expect(kinds.map(({ status }) => status)).toEqual([true, false]);
});

test("the metadata is that of all objects, with what the CRD says of names", () => {
  const metadata = kindsOfCrd(crd)[0]?.schema.properties?.metadata?.properties;
  expect(metadata?.name).toEqual({ type: "string", maxLength: 5 });
  expect(metadata?.labels?.type).toBe("object");
});

test("fields that a CRD makes selectable are read from the object", () => {
  const [, beta] = kindsOfCrd(crd);
  const meta = { name: "a", uid: "", resourceVersion: "", creationTimestamp: "" };
  const object = { apiVersion: "example.com/v1beta1", kind: "Thing", metadata: meta };
  const select = beta?.selectableFields["spec.color"];
  expect(select?.({ ...object, spec: { color: "red" } })).toBe("red");
  expect(select?.(object)).toBe("");
});

test("without columns of its own a kind shows its age", () => {
  expect(kindsOfCrd(crd)[0]?.columns.map(({ name }) => name)).toEqual(["Age"]);
});

test("snapshots and populators come along", () => {
  expect(
    bundledCrds.flatMap(kindsOfCrd).map(({ resource }) => `${resource.kind} ${resource.version}`),
  ).toEqual([
    "VolumeSnapshotClass v1",
    "VolumeSnapshotContent v1",
    "VolumeSnapshot v1",
    "VolumePopulator v1beta1",
  ]);
});
