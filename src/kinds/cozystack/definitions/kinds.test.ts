import { describe, expect, test } from "vitest";
import { celEvaluator } from "../../../kube/schema/cel.ts";
import { checkCrd, checkCrds } from "../../../kube/schema/check.ts";
import { crdOf } from "../../../kube/schema/crd.ts";
import { resourceOf } from "../../../kube/schema/kind.ts";
import { KINDS } from "../kinds.ts";
import { cozystackKinds } from "./kinds.ts";

const cel = celEvaluator();
const crds = cozystackKinds.map(crdOf);

test("the kinds are those that programs know, and no two claim the same name", () => {
  expect(cozystackKinds.map(resourceOf)).toEqual(KINDS.map(({ resource }) => resource));
  expect(checkCrds(crds, cel)).toEqual([]);
});

test("classes and strategies are the administrators', all else belongs to a namespace", () => {
  const wide = cozystackKinds.filter(({ scope }) => scope === "Cluster").map(({ kind }) => kind);
  expect(wide).toEqual(["BackupClass", "Volume", "Job", "Velero", "JobBackupStrategy"]);
});

describe.each(crds)("the CRD $metadata.name", (crd) => {
  test("has nothing that the API server, or a rule of ours, would refuse, and is small", () => {
    expect(checkCrd(crd, cel)).toEqual([]);
    expect(Buffer.byteLength(JSON.stringify(crd))).toBeLessThan(100 * 1024);
    expect(crd.spec.names.categories).toEqual(["cozystack-backups"]);
  });
});
