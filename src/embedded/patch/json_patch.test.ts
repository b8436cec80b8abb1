import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonPatch } from "../../kube/admission/json_patch.ts";
import { applyJsonPatch } from "./json_patch.ts";
import { PatchRefused } from "./patch_refused.ts";

const document = { a: 1, "s/l~h": "x", list: [1, 2, 3], deep: { b: null } };

describe("applyJsonPatch()", () => {
  test.each([
    ["adds a field", [{ op: "add", path: "/new", value: [1] }], { ...document, new: [1] }],
    ["adds to the end", [{ op: "add", path: "/list/-", value: 4 }], { ...document, list: [1, 2, 3, 4] }],
    ["inserts", [{ op: "add", path: "/list/1", value: 9 }], { ...document, list: [1, 9, 2, 3] }],
    ["adds null where no value is given", [{ op: "add", path: "/n" }], { ...document, n: null }],
    [
      "counts from the end",
      [{ op: "replace", path: "/list/-1", value: 9 }],
      { ...document, list: [1, 2, 9] },
    ],
    ["removes an item", [{ op: "remove", path: "/list/0" }], { ...document, list: [2, 3] }],
    ["replaces a field that is not there", [{ op: "replace", path: "/n", value: 1 }], { ...document, n: 1 }],
    ["replaces everything", [{ op: "replace", path: "", value: { z: 1 } }], { z: 1 }],
    ["understands escapes", [{ op: "replace", path: "/s~1l~0h", value: "y" }], { ...document, "s/l~h": "y" }],
    [
      "moves",
      [{ op: "move", from: "/list/0", path: "/deep/b" }],
      { ...document, list: [2, 3], deep: { b: 1 } },
    ],
    ["copies", [{ op: "copy", from: "/deep", path: "/twin" }], { ...document, twin: { b: null } }],
    ["tests", [{ op: "test", path: "/deep", value: { b: null } }], document],
    ["finds an absent field to be null", [{ op: "test", path: "/none", value: null }], document],
  ])("%s", (_, patch, expected) => {
    expect(applyJsonPatch(document, patch)).toEqual(expected);
  });

  test.each([
    [[{ op: "remove", path: "/none" }], "Unable to remove nonexistent key: none: missing value"],
    [[{ op: "test", path: "/a", value: 2 }], "testing value /a failed: test failed"],
    [
      [{ op: "add", path: "/list/9", value: 1 }],
      "Unable to access invalid index: 9: invalid index referenced",
    ],
    [[{ op: "remove", path: "/list/x" }], "Unable to access invalid index: x: invalid index referenced"],
    [[{ op: "add", path: "/none/x", value: 1 }], 'the document is missing path "/none/x"'],
    [[{ op: "add", path: "/a/x", value: 1 }], 'the document is missing path "/a/x"'],
    [[{ op: "add", path: "", value: 1 }], 'the document is missing path ""'],
    [[{ op: "move", path: "/a" }], "operation missing from field: missing value"],
    [[{ op: "nonsense", path: "/a" }], "Unexpected kind: nonsense"],
  ])("refuses %j, and knows why", (patch, why) => {
    const refused = refusal(() => applyJsonPatch(document, patch));
    expect(refused).toMatchObject({
      code: 422,
      message: "the server rejected our request due to an error in our request",
      cause: { message: why },
    });
  });

  test.each([
    [{ op: "add" }, "object", "[]handlers.jsonPatchOp"],
    ["add", "string", "[]handlers.jsonPatchOp"],
    [[[]], "array", "handlers.jsonPatchOp"],
    [[true], "bool", "handlers.jsonPatchOp"],
  ])("cannot read %j", (patch, found, wanted) => {
    const message = `error decoding patch: json: cannot unmarshal ${found} into Go value of type ${wanted}`;
    expect(refusal(() => applyJsonPatch({}, patch))).toMatchObject({ code: 400, message });
  });

  test("takes at most ten thousand operations", () => {
    const patch = Array(10_001).fill({ op: "test", path: "/a", value: 1 });
    expect(refusal(() => applyJsonPatch(document, patch))).toMatchObject({ code: 413 });
  });

  test("leaves the object and the patch as they are", () => {
    const patch = [
      { op: "add", path: "/x", value: {} },
      { op: "add", path: "/x/y", value: 1 },
    ];
    expect(applyJsonPatch(document, patch)).toMatchObject({ x: { y: 1 } });
    expect(document).not.toHaveProperty("x");
    expect(patch[0]).toEqual({ op: "add", path: "/x", value: {} });
  });

  test("a field may be named __proto__", () => {
    const patch = [{ op: "add", path: "/__proto__", value: { a: 1 } }];
    const result = applyJsonPatch({}, patch);
    expect(JSON.stringify(result)).toBe('{"__proto__":{"a":1}}');
  });

  test("carries out the difference between any two objects", () => {
    const any = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
    fc.assert(
      fc.property(any, any, (from, to) => {
        const result = applyJsonPatch(from, jsonPatch(from, to));
        expect(JSON.parse(JSON.stringify(result))).toEqual(JSON.parse(JSON.stringify(to)));
      }),
    );
  });
});

function refusal(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(PatchRefused);
    return error;
  }
  return undefined;
}
