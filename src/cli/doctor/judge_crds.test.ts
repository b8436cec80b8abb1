import { describe, expect, test } from "vitest";
import { type Crd, judgeCrds } from "./judge_crds.ts";

interface Form {
  readonly established?: string;
  readonly fields?: readonly string[];
  readonly version?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

const OURS = { "app.kubernetes.io/part-of": "kopiur" };

const crd = (
  name: string,
  { established = "True", fields = ["spec"], version = "v1", labels = OURS }: Form = {},
): Crd => ({
  metadata: { name, labels },
  spec: {
    versions: [
      {
        name: version,
        schema: {
          openAPIV3Schema: {
            properties: {
              spec: { items: { properties: Object.fromEntries(fields.map((field) => [field, {}])) } },
            },
          },
        },
      },
    ],
  },
  status: { conditions: [{ type: "Established", status: established, message: "name taken" }] },
});

describe("CRDs", () => {
  test.each<[what: string, present: readonly Crd[], level: string, text: string]>([
    ["all are there", [crd("a"), crd("b")], "ok", "all 2 kinds"],
    ["none is", [], "error", "not in this cluster"],
    ["one is missing", [crd("a")], "error", "1 CRDs are missing"],
    ["one is not served", [crd("a"), crd("b", { established: "False" })], "error", "name taken"],
    ["one serves another version", [crd("a"), crd("b", { version: "v2" })], "error", "serves v2, and not v1"],
    ["one lacks a field", [crd("a"), crd("b", { fields: [] })], "error", "It lacks spec.spec"],
    ["one has more", [crd("a"), crd("b", { fields: ["spec", "new"] })], "warning", "It has spec.new"],
    [
      "one is of another product",
      [crd("a"), crd("b", { labels: { "app.kubernetes.io/part-of": "other" } })],
      "warning",
      "part of other",
    ],
    ["one is of nobody", [crd("a"), crd("b", { labels: {} })], "warning", "nothing on them says"],
  ])("%s", (_, present, level, text) => {
    const found = judgeCrds([crd("a"), crd("b")], present);
    expect(found.map((one) => one.level)).toEqual([level]);
    expect(JSON.stringify(found)).toContain(text);
  });
});
