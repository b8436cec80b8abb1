import { describe, expect, test } from "vitest";
import type { PatchableSchema } from "../kinds/kind_info.ts";
import { merge } from "./merge.ts";

const set: PatchableSchema = { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" };
const letters = (text: string) => text.split("");
const merged = (schema: PatchableSchema, live: unknown, applied: unknown) =>
  merge({ schema, open: false }, live, applied);

describe("merge() orders items", () => {
  test.each([
    ["as applied", "", "cab", "cab"],
    ["as they are, when nothing is applied", "abc", "", "abc"],
    ["with new ones at the end", "ab", "bc", "abc"],
    ["with live ones where they were", "abcd", "db", "acdb"],
    ["as applied, when that is all", "abc", "cba", "cba"],
    ["with live ones ahead of the applied ones that they preceded", "axbyc", "cab", "xycab"],
  ])("%s", (_, live, applied, expected) => {
    expect(merged(set, letters(live), letters(applied))).toEqual(letters(expected));
  });

  test("and does not merge with items that repeat", () => {
    expect(merged(set, ["a", "b", "a"], ["a"])).toEqual(["a", "b"]);
  });
});

describe("merge() keeps", () => {
  const map: PatchableSchema = { type: "object", additionalProperties: { type: "string" } };
  test.each([
    ["the live map when null is applied", map, { a: "1" }, null, { a: "1" }],
    ["null when nothing was there", map, undefined, null, null],
    ["the applied emptiness", map, null, {}, {}],
    [
      "an atomic map as it was applied",
      { ...map, "x-kubernetes-map-type": "atomic" } as const,
      { a: "1" },
      { b: "2" },
      { b: "2" },
    ],
    ["what has no schema, field by field", {}, { a: { b: 1 } }, { a: { c: 2 } }, { a: { b: 1, c: 2 } }],
    ["an object that took a scalar's place", {}, "x", { a: 1 }, { a: 1 }],
  ])("%s", (_, schema, live, applied, expected) => {
    expect(merged(schema, live, applied)).toEqual(expected);
  });
});
