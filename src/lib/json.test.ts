import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isRecord, jsonEqual } from "./json.ts";

const json = fc.jsonValue({ maxDepth: 4 });
const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** The same value, every object with its keys the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

describe("jsonEqual()", () => {
  test("holds for a copy, whatever the order of keys", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(jsonEqual(value, reversed(copy(value)))).toBe(true);
      }),
    );
  });

  test("is symmetric", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(jsonEqual(a, b)).toBe(jsonEqual(b, a));
      }),
    );
  });

  test("sees any difference in a value, a key or a length", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const [left, right] = [copy(a), copy(b)];
        expect(jsonEqual(left, right)).toBe(isDeepStrictEqual(left, right));
      }),
    );
  });

  test.each<[unknown, unknown]>([
    [1, "1"],
    [null, undefined],
    [null, {}],
    [[], {}],
    [{}, []],
    [[1], [1, 2]],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1, b: 2 }, { a: 1 }],
    [{ a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 3 }] } }],
    [{ a: null }, {}],
  ])("tells %j from %j", (a, b) => {
    expect(jsonEqual(a, b)).toBe(false);
  });

  test("takes undefined for absent", () => {
    expect(jsonEqual({ a: 1, b: undefined }, { a: 1 })).toBe(true);
    expect(jsonEqual({}, { a: undefined })).toBe(true);
  });

  test("is not misled by keys that every object inherits", () => {
    expect(jsonEqual(JSON.parse('{"__proto__": {}}'), {})).toBe(false);
    expect(jsonEqual({ constructor: undefined }, {})).toBe(true);
    expect(jsonEqual({ toString: "x" }, {})).toBe(false);
  });
});

describe("isRecord()", () => {
  test.each([[{}], [{ a: 1 }]])("holds for %j", (value) => {
    expect(isRecord(value)).toBe(true);
  });

  test.each([[null], [undefined], [[]], ["text"], [1], [true]])("does not hold for %j", (value) => {
    expect(isRecord(value)).toBe(false);
  });
});
