import { describe, expect, test } from "vitest";
import type { PatchableSchema } from "../kinds/kind_info.ts";
import { applyStrategicPatch } from "./strategic_patch.ts";

const byName: PatchableSchema = {
  type: "array",
  items: { type: "object", properties: { name: { type: "string" }, args: { type: "array", items: {} } } },
  "x-kubernetes-patch-strategy": "merge",
  "x-kubernetes-patch-merge-key": "name",
};
const schema: PatchableSchema = {
  type: "object",
  properties: {
    items: byName,
    volumes: { ...byName, "x-kubernetes-patch-strategy": "merge,retainKeys" },
    words: { type: "array", items: { type: "string" }, "x-kubernetes-patch-strategy": "merge" },
    empty: { type: "array", items: {}, "x-kubernetes-patch-strategy": "merge" },
    atomic: { type: "array", items: { type: "string" } },
    whole: { type: "object", "x-kubernetes-patch-strategy": "replace" },
    labels: { type: "object", additionalProperties: { type: "string" } },
  },
};
const items = (...names: string[]) => names.map((name) => ({ name }));

describe("applyStrategicPatch()", () => {
  test.each([
    ["merges objects", { labels: { a: "1" } }, { labels: { b: "2" } }, { labels: { a: "1", b: "2" } }],
    ["removes with null", { labels: { a: "1", b: "2" } }, { labels: { a: null } }, { labels: { b: "2" } }],
    ["drops nulls that remove nothing", {}, { labels: { a: null, b: "1" } }, { labels: { b: "1" } }],
    ["replaces lists without a key", { atomic: ["a"] }, { atomic: ["b"] }, { atomic: ["b"] }],
    ["replaces objects that say so", { whole: { a: 1 } }, { whole: { b: 1 } }, { whole: { b: 1 } }],
    ["adds to lists of scalars", { words: ["a", "b"] }, { words: ["c", "a"] }, { words: ["c", "a", "b"] }],
    [
      "takes from lists of scalars",
      { words: ["a", "b", "c"] },
      { "$deleteFromPrimitiveList/words": ["b", "x"] },
      { words: ["a", "c"] },
    ],
    [
      "merges items by their key",
      { items: [{ name: "a", x: 1 }, { name: "b" }] },
      { items: [{ name: "a", y: 2 }] },
      { items: [{ name: "a", x: 1, y: 2 }, { name: "b" }] },
    ],
    [
      "puts new items after the live ones that came before",
      { items: items("a", "b", "c") },
      { items: items("c", "new") },
      { items: items("a", "b", "c", "new") },
    ],
    [
      "deletes items",
      { items: items("a", "b") },
      { items: [{ name: "a", $patch: "delete" }] },
      { items: items("b") },
    ],
    [
      "replaces a list",
      { items: items("a", "b") },
      { items: [{ name: "c" }, { $patch: "replace" }] },
      { items: items("c") },
    ],
    [
      "replaces an object",
      { labels: { a: "1" } },
      { labels: { b: "2", $patch: "replace" } },
      { labels: { b: "2" } },
    ],
    ["empties an object", { labels: { a: "1" } }, { labels: { $patch: "delete" } }, { labels: {} }],
    ["does not create what is only deleted", {}, { labels: { $patch: "delete" } }, {}],
    [
      "orders a list that it does not change",
      { items: items("a", "b", "c") },
      { "$setElementOrder/items": items("c", "b") },
      { items: items("a", "c", "b") },
    ],
    [
      "orders a list that it changes",
      { items: items("live", "a", "b") },
      { "$setElementOrder/items": items("new", "b", "a"), items: items("new") },
      { items: items("new", "live", "b", "a") },
    ],
    [
      "puts a new item where it removed another, when it also asks for an order",
      { items: items("z", "x") },
      { "$setElementOrder/items": items("y"), items: [{ name: "z", $patch: "delete" }, ...items("y")] },
      { items: items("x", "y") },
    ],
    [
      "orders a list before it takes items from it",
      { words: ["b", "c", "a"] },
      { "$setElementOrder/words": ["a", "b"], "$deleteFromPrimitiveList/words": ["a"] },
      { words: ["c", "b"] },
    ],
    [
      "takes what it has just added, when it also asks for an order",
      { words: ["a"] },
      { "$setElementOrder/words": ["b", "a"], "$deleteFromPrimitiveList/words": ["b"], words: ["b"] },
      { words: ["a"] },
    ],
    [
      "puts new items that the order does not name last, and turns them around",
      { items: items("a", "b") },
      { "$setElementOrder/items": [], items: items("x", "y") },
      { items: items("a", "b", "y", "x") },
    ],
    [
      "keeps the live order in a list that it replaces, when it asks for an order that names nothing",
      { items: items("c", "a") },
      { "$setElementOrder/items": [], items: [{ $patch: "replace" }, ...items("a", "c")] },
      { items: items("c", "a") },
    ],
    [
      "orders a list that it adds",
      {},
      {
        "$setElementOrder/items": items("a", "b"),
        items: [...items("a", "b"), { name: "x", $patch: "delete" }],
      },
      { items: items("a", "b") },
    ],
    [
      "drops a list when null is taken from it",
      { words: ["a"] },
      { "$deleteFromPrimitiveList/words": null },
      {},
    ],
    [
      "merges objects that are taken from a list",
      { items: items("a") },
      { "$deleteFromPrimitiveList/items": [{ name: "a", x: 1 }] },
      { items: [{ name: "a", x: 1 }] },
    ],
    [
      "retains only the keys that are named",
      { volumes: [{ name: "v", emptyDir: {} }] },
      { volumes: [{ name: "v", configMap: { name: "c" }, $retainKeys: ["name", "configMap"] }] },
      { volumes: [{ name: "v", configMap: { name: "c" } }] },
    ],
    ["exchanges types", { labels: "x" }, { labels: { a: "1" } }, { labels: { a: "1" } }],
  ])("%s", (_, object, patch, expected) => {
    expect(applyStrategicPatch(object, patch, schema)).toEqual(expected);
  });

  test.each([
    ["a directive that is none", { $patch: "x" }, 500, 'unknown patch type: x in map: {"$patch":"x"}'],
    [
      "an item without its key",
      { items: [{ x: 1 }] },
      500,
      'map: {"x":1} does not contain declared merge key: name',
    ],
    [
      "an item without its key in a list that replaces",
      { items: [{ $patch: "replace" }, { x: 1 }] },
      500,
      'map: {"x":1} does not contain declared merge key: name',
    ],
    ["keys beyond those retained", { $retainKeys: ["a"], b: 1 }, 400, "invalid patch format of retainKeys"],
    ["an order of nothing", { $setElementOrder: [] }, 400, "invalid patch format of setElementOrder list"],
    [
      "a removal from nothing",
      { $deleteFromPrimitiveList: [] },
      400,
      "invalid patch format of primitive list",
    ],
    ["lists in lists", { empty: [["a"]] }, 422, "lists of lists are not supported"],
    [
      "items of another type than the live ones",
      { words: [["a"]] },
      500,
      'list element types are not identical: [["z"],[["a"]]]',
    ],
    [
      "an order of what is no list",
      { "$setElementOrder/labels": [] },
      500,
      'unable to find a list for the json field "labels"',
    ],
    [
      "an order of objects without a key",
      { "$setElementOrder/atomic": [], atomic: [{}] },
      500,
      "objects without a merge key cannot be ordered",
    ],
    [
      "an order of a list without items",
      { "$setElementOrder/empty": ["a"], empty: [] },
      500,
      "no elements in any of the given slices",
    ],
    [
      "an item of the order without its key",
      { "$setElementOrder/items": [{ x: 1 }] },
      500,
      'map: {"x":1} does not contain declared merge key: name',
    ],
    [
      "a directive after the last item that is ordered",
      { "$setElementOrder/items": items("a"), items: [...items("a"), { $patch: "replace" }] },
      500,
      expect.stringContaining("doesn't match $setElementOrder list"),
    ],
    [
      "merging of a list",
      { items: [{ $patch: "merge" }] },
      500,
      "merging lists cannot yet be specified in the patch",
    ],
    [
      "items in another order than asked for",
      { "$setElementOrder/words": ["a", "b"], words: ["b", "a"] },
      500,
      'The order in patch list:\n["b","a"]\n doesn\'t match $setElementOrder list:\n["a","b"]\n',
    ],
  ])("refuses %s", (_, patch, code, message) => {
    const live = { items: items("a"), words: ["z"], empty: [] };
    expect(() => applyStrategicPatch(live, patch, schema)).toThrow(
      expect.objectContaining({ code, message }),
    );
  });

  test("refuses to merge into a list with an item without its key", () => {
    expect(() => applyStrategicPatch({ items: [{ x: 1 }] }, { items: [] }, schema)).toThrow(
      expect.objectContaining({ code: 500 }),
    );
  });
});
