import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonPatch } from "../client.ts";
import { jsonPatch } from "./json_patch.ts";

describe("jsonPatch()", () => {
  test("applied to the first value it gives the second", () => {
    const keys = fc.oneof(
      fc.constantFrom("a", "b", "~", "/", "~1", "", "__proto__", "toString", "0"),
      fc.string(),
    );
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 4, depthSize: "small" },
        fc.constantFrom(null, true, 0, 1, "", "x"),
        fc.array(tie("json"), { maxLength: 4 }),
        fc.array(fc.tuple(keys, tie("json")), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs)),
      ),
    }));
    fc.assert(
      fc.property(json, json, (from, to) => {
        const patch = JSON.parse(JSON.stringify(jsonPatch(from, to))) as JsonPatch;
        expect(applied(from, patch)).toStrictEqual(to);
      }),
      { numRuns: 2_000 },
    );
  });

  test("of equal values is empty", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonPatch(value, JSON.parse(JSON.stringify(value)))).toEqual([]);
      }),
    );
  });

  test("names only what differs", () => {
    const from = { metadata: { name: "a", labels: { "x/y": "1", gone: "2" } }, list: [1, 2, 3] };
    const to = { metadata: { name: "a", labels: { "x/y": "2" } }, list: [1, 4], more: {} };
    expect(jsonPatch(from, to)).toEqual([
      { op: "remove", path: "/metadata/labels/gone" },
      { op: "replace", path: "/metadata/labels/x~1y", value: "2" },
      { op: "remove", path: "/list/2" },
      { op: "replace", path: "/list/1", value: 4 },
      { op: "add", path: "/more", value: {} },
    ]);
  });

  test("takes an undefined key for an absent one", () => {
    expect(jsonPatch({ a: 1, b: undefined }, { a: undefined, c: undefined })).toEqual([
      { op: "remove", path: "/a" },
    ]);
  });
});

/** Strict as RFC 6902 asks: what is replaced or removed must be there, indexes must be in range. */
function applied(document: unknown, patch: JsonPatch): unknown {
  const root = { "": structuredClone(document) } as Record<string, unknown>;
  for (const operation of patch) {
    const steps = operation.path.split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    const last = steps.pop() ?? "";
    let parent: unknown = root;
    for (const step of steps) parent = member(parent, step);
    if (operation.op === "remove") take(parent, last);
    else if (operation.op === "replace") {
      member(parent, last);
      take(parent, last);
      put(parent, last, operation.value);
    } else if (operation.op === "add") put(parent, last, operation.value);
    else throw new Error(`${operation.op} is not expected here`);
  }
  return root[""];
}

function member(parent: unknown, key: string): unknown {
  if (!Object.hasOwn(parent as object, key)) throw new Error(`there is no ${key}`);
  return (parent as Record<string, unknown>)[key];
}

function take(parent: unknown, key: string): void {
  member(parent, key);
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete (parent as Record<string, unknown>)[key];
}

function put(parent: unknown, key: string, value: unknown): void {
  if (Array.isArray(parent)) {
    if (Number(key) > parent.length) throw new Error(`index ${key} is out of range`);
    parent.splice(Number(key), 0, value);
  } else Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
}
