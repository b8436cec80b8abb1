import { describe, expect, test } from "vitest";
import { celEvaluator } from "../../../kube/schema/cel.ts";
import { checkCrd, checkCrds } from "../../../kube/schema/check.ts";
import { crdOf } from "../../../kube/schema/crd.ts";
import { resourceOf } from "../../../kube/schema/kind.ts";
import { fieldSchema, type Structural } from "../../../kube/schema/structural.ts";
import { GROUP } from "../group.ts";
import { KINDS } from "../kinds.ts";
import { kopiurKinds } from "./kinds.ts";

const cel = celEvaluator();
const crds = kopiurKinds.map(crdOf);

test("the seven kinds are those that programs know", () => {
  expect(kopiurKinds.map(resourceOf)).toEqual(KINDS.map(({ resource }) => resource));
  expect(kopiurKinds.map(({ kind }) => kind)).toEqual([
    "Repository",
    "ClusterRepository",
    "BackupConfig",
    "Backup",
    "BackupSchedule",
    "Restore",
    "Maintenance",
  ]);
});

test("no two kinds claim the same name", () => {
  expect(checkCrds(crds, cel)).toEqual([]);
});

describe.each(crds)("the CRD $metadata.name", (crd) => {
  const version = crd.spec.versions[0];
  const schema = version?.schema.openAPIV3Schema ?? {};

  test("has nothing that the API server, or a rule of ours, would refuse: descriptions and bounds included", () => {
    expect(checkCrd(crd, cel)).toEqual([]);
  });

  test("is small", () => {
    expect(Buffer.byteLength(JSON.stringify(crd))).toBeLessThan(100 * 1024);
  });

  test("is in the group and the category, and has a status of its own", () => {
    expect(crd.spec.group).toBe(GROUP);
    expect(crd.spec.names.categories).toEqual(["kopiur"]);
    expect(crd.spec.names.shortNames?.length).toBe(1);
    expect(crd.spec.scope).toBe(crd.spec.names.kind === "ClusterRepository" ? "Cluster" : "Namespaced");
    expect(version?.subresources).toEqual({ status: {} });
  });

  test("has columns that lead to fields of the right type", () => {
    const columns = version?.additionalPrinterColumns ?? [];
    expect(columns.length).toBeGreaterThan(3);
    for (const { jsonPath, type } of columns) {
      if (jsonPath === ".metadata.creationTimestamp") continue;
      const field = jsonPath
        .replace(/\[\?.*?\]/, ".<item>")
        .slice(1)
        .split(".")
        .reduce<Structural | undefined>(
          (at, name) => (name === "<item>" ? at?.items : fieldSchema(at, name)),
          schema,
        );
      const fits = {
        date: "string",
        string: "string",
        integer: "integer",
        boolean: "boolean",
        number: "number",
      };
      expect([jsonPath, field?.["x-kubernetes-int-or-string"] ? "string" : field?.type]).toEqual([
        jsonPath,
        fits[type],
      ]);
    }
  });
});
