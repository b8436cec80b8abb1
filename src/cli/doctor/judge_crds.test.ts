import { describe, expect, test } from "vitest";
import type { WantedKind } from "../../kube/adoption/crd_shortfalls.ts";
import type { Structural } from "../../kube/schema/structural.ts";
import type { ApiKinds } from "./api_kinds.ts";
import { type Crd, judgeCrds } from "./judge_crds.ts";

interface Form {
  readonly established?: string;
  readonly status?: Structural;
  readonly version?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

const OURS = { "app.kubernetes.io/part-of": "kopiur" };
const statusOf = (...fields: readonly string[]): Structural => ({
  type: "object",
  properties: Object.fromEntries(fields.map((field) => [field, { type: "string" }])),
});
const schemaOf = (status: Structural): Structural => ({ type: "object", properties: { status } });

const wanted = ["a", "b"].map(
  (plural): WantedKind => ({
    resource: { group: "example.org", version: "v1", kind: plural.toUpperCase(), plural, namespaced: true },
    schema: schemaOf(statusOf("phase")),
  }),
);

const API: ApiKinds = { api: "kopiur", kinds: wanted, labels: OURS };
const OTHER: ApiKinds = {
  api: "other",
  kinds: wanted.map(({ resource, schema }) => ({ resource: { ...resource, group: "other.org" }, schema })),
  labels: OURS,
};
const byName = (present: readonly Crd[]) => new Map(present.map((one) => [one.metadata.name, one]));

const crd = (
  plural: string,
  { established = "True", status = statusOf("phase"), version = "v1", labels = OURS }: Form = {},
): Crd => ({
  metadata: { name: `${plural}.example.org`, labels },
  spec: {
    scope: "Namespaced",
    names: { kind: plural.toUpperCase() },
    versions: [
      {
        name: version,
        served: true,
        schema: { openAPIV3Schema: schemaOf(status) },
        subresources: { status: {} },
      },
    ],
  },
  status: { conditions: [{ type: "Established", status: established, message: "name taken" }] },
});

const keeping: Structural = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const foreign = { "app.kubernetes.io/part-of": "other" };

describe("CRDs", () => {
  test.each<[what: string, present: readonly Crd[], level: string, text: string]>([
    ["all are there", [crd("a"), crd("b")], "ok", "all 2 kinds"],
    ["none is", [], "error", "not in this cluster"],
    ["one is missing", [crd("a")], "error", "1 CRD is missing"],
    ["one is not served", [crd("a"), crd("b", { established: "False" })], "error", "name taken"],
    ["one serves another version", [crd("a"), crd("b", { version: "v2" })], "error", "serves v2, and not v1"],
    [
      "one lacks a field",
      [crd("a"), crd("b", { status: statusOf() })],
      "error",
      "b.example.org does not fit: status.phase is missing",
    ],
    ["one keeps whatever is written", [crd("a"), crd("b", { status: keeping })], "ok", "all 2 kinds"],
    [
      "one has more",
      [crd("a"), crd("b", { status: statusOf("phase", "new") })],
      "warning",
      "It has status.new",
    ],
    ["one is of another product", [crd("a"), crd("b", { labels: foreign })], "warning", "part of other"],
    ["one is of nobody", [crd("a"), crd("b", { labels: {} })], "warning", "nothing on them says"],
  ])("%s", (_, present, level, text) => {
    const found = judgeCrds([API, OTHER], byName(present));
    expect(found.map((one) => one.level)).toEqual([level]);
    expect(JSON.stringify(found)).toContain(text);
  });

  test("that are adopted are judged by whether they are there alone", () => {
    const levels = (...present: readonly Crd[]) =>
      judgeCrds([API], byName(present), { adopted: true }).map((one) => one.level);
    expect(levels(crd("a", { labels: foreign }), crd("b", { status: statusOf() }))).toEqual(["ok"]);
    expect(levels(crd("a", { labels: foreign }))).toEqual(["error"]);
  });

  test("of another product, as an API shares them, are judged by whether they are there alone", () => {
    const present = byName([crd("a", { labels: foreign }), crd("b", { labels: foreign })]);
    const levels = (api: ApiKinds) => judgeCrds([api], present).map((one) => one.level);
    expect([levels(API), levels({ ...API, shared: true })]).toEqual([["warning"], ["ok"]]);
  });

  test("of each API that is installed are told apart", () => {
    const other = crd("a");
    const name = "a.other.org";
    const present = [crd("a"), crd("b"), { ...other, metadata: { ...other.metadata, name } }];
    expect(judgeCrds([API, OTHER], byName(present)).map((one) => one.what)).toEqual([
      "all 2 kinds of kopiur are served",
      "1 CRD is missing",
    ]);
  });
});
