import { expect, test } from "vitest";
import { veleroKinds } from "../../kinds/velero/definitions/kinds.ts";
import { KINDS } from "../../kinds/velero/kinds.ts";
import { crdShortfalls, type PresentCrd } from "../../kube/adoption/crd_shortfalls.ts";
import { crdOf } from "../../kube/schema/crd.ts";
import type { Structural } from "../../kube/schema/structural.ts";

/** The CRDs as an older Velero server installs them, which differ from those of the document in these points. */
const FIELDS_OF_LATER_RELEASES = ["incrementalBytes", "snapshotSize", "caCertRef"];

function olderCrd(plural: string): PresentCrd {
  const kind = veleroKinds.find((one) => one.plural === plural);
  if (!kind) throw new Error(`there is no kind ${plural}`);
  const crd = JSON.parse(JSON.stringify(crdOf(kind)), (key, value) => {
    if (FIELDS_OF_LATER_RELEASES.includes(key)) return undefined;
    if (key === "uploaderType") return { ...value, enum: ["kopia", "restic", ""] };
    return value;
  });
  for (const version of crd.spec.versions) version.schema.openAPIV3Schema.required = undefined;
  return { ...crd, status: { conditions: [{ type: "Established", status: "True" }] } };
}

test.each(KINDS)("$resource.kind can be worked with as a Velero server has it", (kind) => {
  expect(crdShortfalls(kind, olderCrd(kind.resource.plural))).toEqual([]);
});

test("a CRD that lacks what the data path writes is not adopted", () => {
  const [kind] = KINDS;
  if (!kind) throw new Error("no kinds");
  const crd = structuredClone(olderCrd(kind.resource.plural));
  const schema = crd.spec.versions[0]?.schema?.openAPIV3Schema as { properties: Record<string, Structural> };
  const { phase: _, ...properties } = schema.properties.status?.properties ?? {};
  schema.properties.status = { type: "object", properties };
  expect(crdShortfalls(kind, crd)).toEqual([
    "podvolumebackups.velero.io does not fit: status.phase is missing",
  ]);
});
