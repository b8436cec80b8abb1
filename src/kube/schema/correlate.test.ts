import { describe, expect, test } from "vitest";
import { correlate, unchanged } from "./correlate.ts";
import type { Structural } from "./structural.ts";

const item: Structural = { type: "object", properties: { a: { type: "string" }, b: { type: "integer" } } };
const keyed: Structural = {
  type: "array",
  items: item,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["a", "b"],
};

describe("correlate()", () => {
  test("finds the item with the same keys", () => {
    const find = correlate(keyed, [
      { a: "x", b: 1 },
      { a: "x", b: 2, c: 3 },
    ]);
    expect(find({ b: 2, a: "x" })).toEqual({ a: "x", b: 2, c: 3 });
    expect(find({ a: "x", b: 3 })).toBeUndefined();
  });

  test("finds no item without all of its keys", () => {
    expect(correlate(keyed, [{ a: "x" }])({ a: "x" })).toBeUndefined();
  });

  test("finds nothing in a list without keys", () => {
    expect(correlate({ type: "array", items: item }, [{ a: "x" }])({ a: "x" })).toBeUndefined();
  });
});

describe("unchanged()", () => {
  test.each<[string, Structural, unknown, unknown, boolean]>([
    ["the same text", { type: "string" }, "a", "a", true],
    ["another text", { type: "string" }, "a", "b", false],
    ["the same object", item, { a: "x" }, { a: "x" }, true],
    ["an object with a field more", item, { a: "x", b: 1 }, { a: "x" }, false],
    ["an object with an unknown field", item, { c: 1 }, { c: 1 }, false],
    [
      "items with keys that changed places",
      keyed,
      [
        { a: "x", b: 1 },
        { a: "y", b: 1 },
      ],
      [
        { a: "y", b: 1 },
        { a: "x", b: 1 },
      ],
      true,
    ],
    [
      "items without keys that changed places",
      { type: "array", items: item },
      [{ a: "x" }, {}],
      [{}, { a: "x" }],
      false,
    ],
    ["null", { type: "string", nullable: true }, null, null, true],
  ])("of %s is %5$s", (_, schema, value, old, expected) => {
    expect(unchanged(schema, value, old)).toBe(expected);
  });
});
