import { expect, test } from "vitest";
import { applyDefaults } from "../../kube/schema/default.ts";
import { prune } from "../../kube/schema/prune.ts";
import { builtinResources } from "./builtin_resources.ts";
import { builtinSchema, objectMetaSchema } from "./definitions.ts";

const v1 = (kind: string, group = "") => builtinSchema({ group, version: "v1", kind });

test("every built-in kind has a schema, with the metadata of all objects", () => {
  for (const resource of builtinResources) {
    const { type, properties = {} } = builtinSchema(resource);
    expect(type).toBe("object");
    expect(properties.metadata?.properties).toBe(objectMetaSchema.properties);
  }
});

test("lists keep what patches and field ownership go by", () => {
  expect(v1("Pod").properties?.spec?.properties?.containers).toMatchObject({
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "x-kubernetes-patch-merge-key": "name",
    "x-kubernetes-patch-strategy": "merge",
    items: { title: "Container" },
  });
});

test("a schema may contain itself, and is still walked along a value", () => {
  const crd = {
    spec: { versions: [{ schema: { openAPIV3Schema: { not: { not: { type: "x", typo: 1 } } } } }] },
  };
  const schema = v1("CustomResourceDefinition", "apiextensions.k8s.io");
  expect(prune(schema, crd).unknown).toEqual(["spec.versions[0].schema.openAPIV3Schema.not.not.typo"]);
});

test("fields that are always there get their zero, optional names do not", () => {
  expect(applyDefaults(v1("Event"), {})).toMatchObject({ reportingComponent: "", source: {} });
  expect(applyDefaults(v1("ServiceAccount"), { imagePullSecrets: [{}] })).toEqual({
    metadata: {},
    imagePullSecrets: [{}],
  });
});

test("a kind that is not built in has no schema", () => {
  expect(() => v1("CronJob", "batch")).toThrow("there is no schema of CronJob in batch/v1");
});
