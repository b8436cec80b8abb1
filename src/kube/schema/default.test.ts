import { describe, expect, test } from "vitest";
import { applyDefaults } from "./default.ts";
import type { Structural } from "./structural.ts";

const one: Structural = { type: "integer", default: 1 };
const object: Structural = { type: "object", properties: { a: one } };

test("applyDefaults() keeps a field named __proto__ a field", () => {
  const given: unknown = JSON.parse('{"__proto__": {"b": 1}}');
  expect(JSON.stringify(applyDefaults(object, given))).toBe('{"__proto__":{"b":1},"a":1}');
});

describe("applyDefaults()", () => {
  test.each<[string, Structural, unknown, unknown]>([
    ["fills in a missing field", object, {}, { a: 1 }],
    ["leaves a given one", object, { a: 2 }, { a: 2 }],
    ["does not make the object around it", { type: "object", properties: { o: object } }, {}, {}],
    [
      "fills in below a default",
      { type: "object", properties: { o: { ...object, default: {} } } },
      {},
      { o: { a: 1 } },
    ],
    [
      "fills in below lists and maps",
      { type: "array", items: { type: "object", additionalProperties: object } },
      [{ k: {} }],
      [{ k: { a: 1 } }],
    ],
    ["puts the default in place of null", object, { a: null }, { a: 1 }],
    [
      "keeps null where it is allowed",
      { type: "object", properties: { a: { ...one, nullable: true } } },
      { a: null },
      { a: null },
    ],
    [
      "drops null where it is not, without a default",
      { type: "object", properties: { a: { type: "string" } } },
      { a: null },
      {},
    ],
    ["drops null from a map", { type: "object", additionalProperties: { type: "string" } }, { k: null }, {}],
    ["puts the default in place of null in a list", { type: "array", items: one }, [null], [1]],
    ["keeps null in a list without a default", { type: "array", items: { type: "string" } }, [null], [null]],
    [
      "keeps null in what it does not know",
      { "x-kubernetes-preserve-unknown-fields": true },
      { x: null },
      { x: null },
    ],
    [
      "takes null for no default",
      { type: "object", properties: { a: { type: "string", nullable: true, default: null } } },
      {},
      {},
    ],
  ])("%s", (_, schema, value, expected) => {
    expect(applyDefaults(schema, value)).toEqual(expected);
  });

  test("gives each object a default of its own", () => {
    const schema: Structural = {
      type: "array",
      items: { type: "object", properties: { o: { type: "object", default: {} } } },
    };
    const [first, second] = applyDefaults(schema, [{}, {}]) as [{ o: object }, { o: object }];
    expect(first.o).not.toBe(second.o);
    expect(first.o).not.toBe(schema.items?.properties?.o?.default);
  });
});
