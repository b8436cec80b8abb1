import { describe, expect, test } from "vitest";
import { celEvaluator } from "../../../kube/schema/cel.ts";
import { checkCrd, checkCrds } from "../../../kube/schema/check.ts";
import { crdOf } from "../../../kube/schema/crd.ts";
import { resourceOf } from "../../../kube/schema/kind.ts";
import { fieldSchema, type Structural } from "../../../kube/schema/structural.ts";
import { KINDS } from "../kinds.ts";
import { veleroKinds } from "./kinds.ts";

const cel = celEvaluator();
const crds = veleroKinds.map(crdOf);

test("the kinds are those that programs know, under the names of their document", () => {
  expect(veleroKinds.map(resourceOf)).toEqual(KINDS.map(({ resource }) => resource));
  expect(crds.map(({ metadata }) => metadata.name)).toEqual([
    "podvolumebackups.velero.io",
    "podvolumerestores.velero.io",
    "backuprepositories.velero.io",
    "backupstoragelocations.velero.io",
  ]);
  expect(checkCrds(crds, cel)).toEqual([]);
});

test("the columns of the data path are those of the document", () => {
  const columns = (name: string) =>
    crds
      .find(({ metadata }) => metadata.name.startsWith(name))
      ?.spec.versions[0]?.additionalPrinterColumns?.map((column) => column.name);
  const common = ["Status", "Started", "Bytes Done", "Total Bytes", "Storage Location", "Age", "Node"];
  expect(columns("podvolumebackups")).toEqual([...common, "Uploader"]);
  expect(columns("podvolumerestores")).toEqual([...common, "Uploader Type"]);
});

describe.each(crds)("the CRD $metadata.name", (crd) => {
  const version = crd.spec.versions[0];

  test("has nothing that the API server, or a rule of ours, would refuse", () => {
    expect(checkCrd(crd, cel)).toEqual([]);
  });

  test("has its status written with the object, as Velero's server does", () => {
    expect(version).not.toHaveProperty("subresources");
    expect(version?.schema.openAPIV3Schema.properties).toHaveProperty("status");
  });

  test("has columns that lead to fields of the right type", () => {
    for (const { jsonPath, type } of version?.additionalPrinterColumns ?? []) {
      if (jsonPath === ".metadata.creationTimestamp") continue;
      const field = jsonPath
        .slice(1)
        .split(".")
        .reduce<Structural | undefined>(fieldSchema, version?.schema.openAPIV3Schema);
      expect([jsonPath, field?.type]).toEqual([jsonPath, type === "date" ? "string" : type]);
    }
  });
});
