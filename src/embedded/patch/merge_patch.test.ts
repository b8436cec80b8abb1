import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergePatch } from "../../kube/write/merge_patch.ts";
import { applyMergePatch } from "./merge_patch.ts";

describe("applyMergePatch()", () => {
  test.each([
    ["sets and keeps", { a: 1, b: { c: 1 } }, { b: { d: 2 } }, { a: 1, b: { c: 1, d: 2 } }],
    ["removes with null", { a: 1, b: { c: 1 } }, { a: null, b: { c: null } }, { b: {} }],
    ["replaces lists whole", { a: [1, 2] }, { a: [3] }, { a: [3] }],
    [
      "takes new values without their nulls",
      {},
      { a: { b: null, c: [{ d: null }, null] } },
      { a: { c: [{}, null] } },
    ],
    ["turns a scalar into an object", { a: 1 }, { a: { b: 1, c: null } }, { a: { b: 1 } }],
    ["turns an object into a list as it is", { a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
  ])("%s", (_, object, patch, expected) => {
    expect(applyMergePatch(object, patch)).toEqual(expected);
  });

  test("refuses what is no object", () => {
    expect(() => applyMergePatch({}, [])).toThrow(
      "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
    );
  });

  test("carries out the difference between any two objects", () => {
    const { tree } = fc.letrec<{ tree: Record<string, unknown>; leaf: unknown }>((tie) => ({
      tree: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("leaf"), { maxKeys: 3 }),
      leaf: fc.oneof({ maxDepth: 3 }, fc.integer(), fc.array(fc.integer()), tie("tree")),
    }));
    fc.assert(
      fc.property(tree, tree, (from, to) => {
        expect(applyMergePatch(from, mergePatch(from, to))).toEqual(to);
      }),
    );
  });
});
