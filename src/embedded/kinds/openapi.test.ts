import { expect, test } from "vitest";
import { builtinKinds } from "./builtin_kinds.ts";
import { bundledCrds } from "./bundled_crds.ts";
import { kindsOfCrd } from "./crd_kinds.ts";
import { openApi } from "./openapi.ts";

const kinds = [...builtinKinds, ...bundledCrds.flatMap(kindsOfCrd)];

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Record<string, unknown>>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Record<string, unknown>>> };
}

test("the index names a document for each group and version", () => {
  const { paths } = openApi(kinds, "/openapi/v3") as { paths: Record<string, { serverRelativeURL: string }> };
  expect(paths["apis/batch/v1"]).toEqual({ serverRelativeURL: "/openapi/v3/apis/batch/v1" });
  expect(Object.keys(paths)).toContain("api/v1");
  expect(Object.keys(paths)).toContain("apis/snapshot.storage.k8s.io/v1");
});

test("a document holds every definition that it refers to", () => {
  for (const path of ["/openapi/v3/api/v1", "/openapi/v3/apis/batch/v1", "/openapi/v3/apis/apps/v1"]) {
    const { components } = openApi(kinds, path) as Document;
    const references = JSON.stringify(components).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
    const wanted = new Set(Array.from(references, ([, name]) => name));
    expect(wanted.size).toBeGreaterThan(10);
    expect([...wanted].filter((name) => !components.schemas[name ?? ""])).toEqual([]);
  }
});

test("a path says which kind it is of, and that a patch may be validated strictly", () => {
  const { paths } = openApi(kinds, "/openapi/v3/apis/batch/v1") as Document;
  const patch = paths["/apis/batch/v1/namespaces/{namespace}/jobs/{name}"]?.patch;
  expect(patch?.["x-kubernetes-group-version-kind"]).toEqual({ group: "batch", version: "v1", kind: "Job" });
  expect(patch?.parameters).toContainEqual({
    name: "fieldValidation",
    in: "query",
    schema: { type: "string" },
  });
});

test("definitions of a custom kind carry its own words", () => {
  const { components } = openApi(kinds, "/openapi/v3/apis/snapshot.storage.k8s.io/v1") as Document;
  expect(components.schemas["io.k8s.storage.snapshot.v1.VolumeSnapshot"]).toMatchObject({
    description: expect.stringContaining("VolumeSnapshot is a user's request"),
    "x-kubernetes-group-version-kind": [
      { group: "snapshot.storage.k8s.io", version: "v1", kind: "VolumeSnapshot" },
    ],
  });
});

test("nobody's document is none", () => {
  expect(openApi(kinds, "/openapi/v3/apis/nobody.example.com/v1")).toBeUndefined();
});
