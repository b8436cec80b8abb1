import { describe, expect, test } from "vitest";
import { z } from "zod";
import { crdOf } from "./crd.ts";
import { defineKind, resourceOf } from "./kind.ts";
import { referencePage } from "./reference.ts";
import { typeText } from "./typescript.ts";
import * as v from "./vocabulary.ts";

const kind = defineKind({
  group: "a.example",
  version: "v1",
  kind: "Thing",
  plural: "things",
  shortNames: ["th"],
  categories: ["all-things"],
  scope: "Cluster",
  description: "A thing.",
  spec: z
    .object({
      target: v
        .oneOf({ disk: z.object({ path: z.string().max(9) }), tape: z.object({}) })
        .describe("Where | to."),
      "odd-name": z.int().max(3).default(2).describe("A count."),
      words: z
        .array(z.enum(["a", "b"]))
        .max(2)
        .optional(),
      ratio: z.number().nullable().optional(),
      more: z.record(z.string(), z.boolean()).optional(),
    })
    .describe("Wanted."),
  status: z.object({ phase: z.string().max(9).optional() }),
  printerColumns: [{ name: "Phase", type: "string", jsonPath: ".status.phase" }],
});

describe("a kind", () => {
  test("has a resource", () => {
    expect(resourceOf(kind)).toEqual({
      group: "a.example",
      version: "v1",
      kind: "Thing",
      plural: "things",
      namespaced: false,
    });
  });

  test("has a CRD without marks of our own", () => {
    const crd = crdOf(kind);
    expect(crd).toMatchObject({
      metadata: { name: "things.a.example" },
      spec: {
        scope: "Cluster",
        names: {
          kind: "Thing",
          listKind: "ThingList",
          singular: "thing",
          shortNames: ["th"],
          categories: ["all-things"],
        },
        versions: [{ name: "v1", served: true, storage: true, subresources: { status: {} } }],
      },
    });
    expect(crd.spec.versions[0]?.schema.openAPIV3Schema.required).toEqual(["spec"]);
    expect(JSON.stringify(crd)).not.toContain("x-holdfast");
  });

  test("without a status has no status subresource", () => {
    const { status: _, ...rest } = kind.schema.properties ?? {};
    const plain = crdOf({ ...kind, schema: { ...kind.schema, properties: rest } });
    expect(plain.spec.versions[0]).not.toHaveProperty("subresources");
  });

  test("has a type in which what has a default is there, and a union excludes its other members", () => {
    expect(typeText(kind)).toBe(`/** Wanted. */
export interface ThingSpec {
  /** Where | to. */
  readonly target:
    | { readonly disk: {
        readonly path: string;
      }; readonly tape?: never }
    | { readonly tape: Record<string, never>; readonly disk?: never };
  /** A count. */
  readonly "odd-name": number;
  readonly words?: readonly ("a" | "b")[];
  readonly ratio?: number | null;
  readonly more?: { readonly [name: string]: boolean };
}

export interface ThingStatus {
  readonly phase?: string;
}
`);
  });

  test("has a page of reference", () => {
    const page = referencePage(kind);
    expect(page).toContain("# Thing\n\nA thing.\n");
    expect(page).toContain("- Resource: `things`, short `th`, categories `all-things`");
    expect(page).toContain(
      "| `spec.target` | one of | yes |  | Where \\| to. Rule: exactly one of disk, tape must be set. |",
    );
    expect(page).toContain("| `spec.odd-name` | integer |  | `2` | A count. At most 3. |");
    expect(page).toContain("| `spec.target.disk.path` | string | yes |  | At most 9 characters. |");
    expect(page).toContain("## status");
  });
});
