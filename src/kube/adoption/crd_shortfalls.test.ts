import { expect, test } from "vitest";
import type { Structural } from "../schema/structural.ts";
import { crdShortfalls, type PresentCrd } from "./crd_shortfalls.ts";
import { WIDGETS } from "./testing/widgets.ts";

const schema: Structural = { type: "object", properties: { status: { type: "object" } } };
const version = {
  name: "v1",
  served: true,
  schema: { openAPIV3Schema: schema },
  subresources: { status: {} },
};
const fitting: PresentCrd = {
  metadata: {},
  spec: { scope: "Namespaced", names: { kind: "Widget" }, versions: [version] },
  status: { conditions: [{ type: "Established", status: "True" }] },
};
const spec = (more: Partial<PresentCrd["spec"]>): PresentCrd => ({
  ...fitting,
  spec: { ...fitting.spec, ...more },
});

test("crdShortfalls() finds nothing in a CRD that fits, also beside other versions", () => {
  expect(crdShortfalls({ resource: WIDGETS, schema }, fitting)).toEqual([]);
  const older = { ...version, name: "v1alpha1", schema: {} };
  expect(crdShortfalls({ resource: WIDGETS, schema }, spec({ versions: [older, version] }))).toEqual([]);
});

const conversion = {
  strategy: "Webhook",
  webhook: { clientConfig: { service: { namespace: "other", name: "converter" } } },
};

test.each<[what: string, crd: PresentCrd | undefined, text: string]>([
  ["that is not there", undefined, "is not there"],
  ["that goes", { ...fitting, metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }, "is being deleted"],
  [
    "whose name is taken",
    { ...fitting, status: { conditions: [{ type: "Established", status: "False", message: "taken" }] } },
    "is not served: taken",
  ],
  ["of another scope", spec({ scope: "Cluster" }), "has the scope Cluster instead of Namespaced"],
  ["of another kind", spec({ names: { kind: "Gadget" } }), "has the kind Gadget instead of Widget"],
  ["of another version", spec({ versions: [{ ...version, name: "v2" }] }), "serves v2, and not v1"],
  ["whose version is off", spec({ versions: [{ ...version, served: false }] }), "serves nothing, and not v1"],
  [
    "without a status of its own",
    spec({ versions: [{ ...version, subresources: {} }] }),
    "has no subresource for the status",
  ],
  ["without a schema", spec({ versions: [{ ...version, schema: {} }] }), "does not fit: status is missing"],
  [
    "that somebody converts",
    spec({ versions: [version, { ...version, name: "v2" }], conversion }),
    "is converted by a webhook of somebody else's, the Service other/converter",
  ],
])("crdShortfalls() names a CRD %s", (_, crd, text) => {
  expect(crdShortfalls({ resource: WIDGETS, schema }, crd)).toEqual([`widgets.example.org ${text}`]);
});

test("crdShortfalls() names what keeps this program from creating such objects, where it does", () => {
  const held = {
    properties: { spec: { type: "object", maxProperties: 1 }, status: { type: "object" } },
  } as const;
  const tighter = spec({ versions: [{ ...version, schema: { openAPIV3Schema: { ...schema, ...held } } }] });
  const known: Structural = { ...schema, properties: { ...schema.properties, spec: { type: "object" } } };
  expect(crdShortfalls({ resource: WIDGETS, schema: known }, tighter)).toEqual([]);
  expect(crdShortfalls({ resource: WIDGETS, schema: known, created: true }, tighter)).toEqual([
    "widgets.example.org does not fit: spec has maxProperties 1 instead of none",
  ]);
});

test("crdShortfalls() wants the status where the program writes it", () => {
  const { subresources: _, ...plain } = version;
  const together = { resource: WIDGETS, schema, statusSubresource: false };
  expect(crdShortfalls(together, spec({ versions: [plain] }))).toEqual([]);
  expect(crdShortfalls({ resource: WIDGETS, schema }, spec({ versions: [plain] }))).toEqual([
    "widgets.example.org has no subresource for the status",
  ]);
  expect(crdShortfalls(together, spec({}))).toEqual([
    "widgets.example.org has a subresource for the status, which is written with the rest of the object here",
  ]);
});
