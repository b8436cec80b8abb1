import { describe, expect, test } from "vitest";
import { prune } from "./prune.ts";
import type { Structural } from "./structural.ts";

const text: Structural = { type: "string" };
const known: Structural = { type: "object", properties: { a: text } };
const loose = { "x-kubernetes-preserve-unknown-fields": true } as const;

test("prune() keeps a field named __proto__ a field", () => {
  const object: unknown = JSON.parse('{"__proto__": {"a": 1}}');
  const { value } = prune({ type: "object", ...loose }, object);
  expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1}}');
});

describe("prune()", () => {
  test.each<[string, Structural, unknown, unknown, readonly string[]]>([
    ["drops an unknown field", known, { a: "x", b: 1 }, { a: "x" }, ["it.b"]],
    ["drops below lists", { type: "array", items: known }, [{ b: 1 }], [{}], ["it[0].b"]],
    [
      "drops below maps",
      { type: "object", additionalProperties: known },
      { k: { b: 1 } },
      { k: {} },
      ["it.k.b"],
    ],
    ["keeps what it is told to keep", { type: "object", ...loose }, { b: { c: 1 } }, { b: { c: 1 } }, []],
    [
      "drops below a known field of what keeps unknown ones",
      { ...loose, properties: { a: known } },
      { a: { b: 1 }, c: 2 },
      { a: {}, c: 2 },
      ["it.a.b"],
    ],
    [
      "keeps the fields of items in a list that is kept",
      { type: "array", ...loose, items: known },
      [{ b: 1 }],
      [{ b: 1 }],
      [],
    ],
    [
      "drops everything below a map of anything",
      { type: "object", additionalProperties: true },
      { k: { b: 1 } },
      { k: {} },
      ["it.k.b"],
    ],
    [
      "keeps the metadata of an embedded object",
      { ...known, "x-kubernetes-embedded-resource": true },
      { kind: "A", metadata: { b: 1 }, c: 1 },
      { kind: "A", metadata: { b: 1 } },
      ["it.c"],
    ],
    ["drops fields where the schema has no object", text, { b: 1 }, {}, ["it.b"]],
    ["leaves scalars alone", known, 3, 3, []],
    ["does not take an inherited name for a field", known, { constructor: 1 }, {}, ["it.constructor"]],
  ])("%s", (_, schema, it, value, unknown) => {
    const object = Object.freeze({ metadata: { any: 1 }, it });
    const root: Structural = { type: "object", properties: { it: schema } };
    expect(prune(root, object)).toEqual({ value: { metadata: { any: 1 }, it: value }, unknown });
  });
});
