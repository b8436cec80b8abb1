import { describe, expect, test } from "vitest";
import { problemText } from "./problem.ts";
import type { Structural } from "./structural.ts";
import { validate } from "./validate.ts";

/** The texts of the problems with a value under the field `it`. */
function problems(schema: Structural, it: unknown, old?: unknown): readonly string[] {
  const root: Structural = { type: "object", properties: { it: schema } };
  return validate(root, { it }, old === undefined ? undefined : { it: old }).map(problemText);
}

const wrongType = (wanted: string, found: string) =>
  `it: Invalid value: "${found}": it in body must be of type ${wanted}: "${found}"`;

describe("validate() takes", () => {
  test.each<[string, Structural, unknown]>([
    ["a text", { type: "string" }, "a"],
    ["a whole number as integer", { type: "integer" }, 1.0],
    ["an integer as number", { type: "number" }, 1],
    ["null where it may be", { type: "string", nullable: true }, null],
    ["anything without a type", { "x-kubernetes-preserve-unknown-fields": true }, [null]],
    ["a text as int-or-string", { "x-kubernetes-int-or-string": true }, "80%"],
    ["characters beyond the basic plane as one each", { type: "string", maxLength: 2 }, "😀é"],
    ["an integer at a bound whose fraction is cut off", { type: "number", minimum: 1.5 }, 1],
    ["a fraction that becomes a listed integer when cut", { type: "number", enum: [1] }, 1.5],
    ["a format that nobody checks", { type: "string", format: "made-up" }, "x"],
    ["an integer beyond int32 where there is no format", { type: "integer" }, 2 ** 40],
    ["a list where a text has a format", { type: "string", format: "date" }, []],
    ["a pattern with flags at its start", { type: "string", pattern: "(?i)^A$" }, "a"],
    ["one of several", { type: "integer", oneOf: [{ minimum: 5 }, { maximum: 3 }] }, 7],
  ])("%s", (_, schema, value) => {
    expect(problems(schema, value)).toEqual([]);
  });
});

describe("validate() refuses, in the API server's words,", () => {
  test.each<[string, Structural, unknown, readonly string[]]>([
    ["another type", { type: "integer" }, "a", [wrongType("integer", "string")]],
    [
      "a fraction as integer",
      { type: "integer" },
      1.5,
      [
        wrongType("integer", "number"),
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in it',
      ],
    ],
    ["null", { type: "string" }, null, [wrongType("string", "null")]],
    [
      "a fraction as int-or-string",
      { "x-kubernetes-int-or-string": true },
      1.5,
      [wrongType("integer,string", "number")],
    ],
    [
      "a number where a text has a format",
      { type: "string", format: "date" },
      1,
      [wrongType("date", "int64")],
    ],
    ["a long text", { type: "string", maxLength: 1 }, "ab", ["it: Too long: may not be more than 1 byte"]],
    [
      "a short text",
      { type: "string", minLength: 2 },
      "a",
      ['it: Invalid value: "a": it in body should be at least 2 chars long'],
    ],
    [
      "a text off the pattern",
      { type: "string", pattern: "^b" },
      "a",
      [`it: Invalid value: "a": it in body should match '^b'`],
    ],
    ["a text off the format", { type: "string", format: "date" }, "a", [wrongType("date", "a")]],
    [
      "a small number",
      { type: "number", minimum: 1.5 },
      1.25,
      ["it: Invalid value: 1.25: it in body should be greater than or equal to 1.5"],
    ],
    [
      "a number at an exclusive minimum",
      { type: "integer", minimum: 1, exclusiveMinimum: true },
      1,
      ["it: Invalid value: 1: it in body should be greater than 1"],
    ],
    [
      "a large number",
      { type: "number", maximum: 3.7 },
      4,
      ["it: Invalid value: 4: it in body should be less than or equal to 3"],
    ],
    [
      "a number at an exclusive maximum",
      { type: "number", maximum: 1.5, exclusiveMaximum: true },
      1.5,
      ["it: Invalid value: 1.5: it in body should be less than 1.5"],
    ],
    [
      "an integer beyond int32",
      { type: "integer", format: "int32" },
      2 ** 31,
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in it'],
    ],
    [
      "a number beyond float",
      { type: "number", format: "float" },
      1e39,
      ['<nil>: Invalid value: "": Checked value must be of type number with format float in it'],
    ],
    [
      "any integer where a bound is none, which it is compared with all the same",
      { type: "integer", maximum: 7.5 },
      2 ** 31,
      [
        '<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in it',
        "it: Invalid value: 2.147483648e+09: it in body should be less than or equal to 7.5",
      ],
    ],
    [
      "an odd number",
      { type: "integer", multipleOf: 2 },
      3,
      ["it: Invalid value: 3: it in body should be a multiple of 2"],
    ],
    [
      "a value that is not listed",
      { type: "string", enum: ["a", "b"] },
      "c",
      ['it: Unsupported value: "c": supported values: "a", "b"'],
    ],
    [
      "null, even where it may be, when values are listed",
      { type: "string", nullable: true, enum: ["a"] },
      null,
      ['it: Unsupported value: null: supported values: "a"'],
    ],
    [
      "a long list",
      { type: "array", items: { type: "integer" }, maxItems: 1 },
      [1, 2],
      ["it: Too many: 2: must have at most 1 item"],
    ],
    [
      "a short list",
      { type: "array", items: { type: "integer" }, minItems: 2 },
      [1],
      ["it: Invalid value: 1: it in body should have at least 2 items"],
    ],
    [
      "an item",
      { type: "array", items: { type: "integer" } },
      [1, "a"],
      ['it[1]: Invalid value: "string": it[1] in body must be of type integer: "string"'],
    ],
    ["a missing field", { type: "object", required: ["a"] }, {}, ["it.a: Required value"]],
    [
      "many fields",
      { type: "object", maxProperties: 1, "x-kubernetes-preserve-unknown-fields": true },
      { a: 1, b: 2 },
      ["it: Too many: 2: must have at most 1 item"],
    ],
    [
      "few fields",
      { type: "object", minProperties: 1 },
      {},
      ["it: Invalid value: 0: it in body should have at least 1 properties"],
    ],
    [
      "an entry of a map",
      { type: "object", additionalProperties: { type: "boolean" } },
      { a: 1 },
      ['it.a: Invalid value: "integer": it.a in body must be of type boolean: "integer"'],
    ],
    [
      "none of several",
      { type: "integer", anyOf: [{ minimum: 5 }] },
      1,
      [
        '<nil>: Invalid value: "": "it" must validate at least one schema (anyOf)',
        "it: Invalid value: 1: it in body should be greater than or equal to 5",
      ],
    ],
    [
      "two of several",
      { type: "integer", oneOf: [{ minimum: 1 }, { minimum: 0 }] },
      1,
      [
        '<nil>: Invalid value: "": "it" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      "one of all",
      { type: "integer", allOf: [{ minimum: 5 }, { maximum: 3 }] },
      1,
      [
        "it: Invalid value: 1: it in body should be greater than or equal to 5",
        '<nil>: Invalid value: "": "it" must validate all the schemas (allOf)',
      ],
    ],
    [
      "what it may not be",
      { type: "integer", not: { enum: [1] } },
      1,
      ['<nil>: Invalid value: "": "it" must not validate the schema (not)'],
    ],
    [
      "an item twice in a set",
      { type: "array", items: {}, "x-kubernetes-list-type": "set" },
      ["a", "a", "a"],
      ['it[1]: Duplicate value: "a"'],
    ],
    [
      "an object twice in a set, whatever the order of its fields",
      { type: "array", items: {}, "x-kubernetes-list-type": "set" },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ['it[1]: Duplicate value: {"b":2,"a":1}'],
    ],
    [
      "a key twice",
      { type: "array", items: {}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] },
      [{ k: 1, v: 1 }, { k: 1 }],
      ['it[1]: Duplicate value: {"k":1}'],
    ],
    [
      "a text in a list with keys",
      { type: "array", items: {}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] },
      ["a"],
      ['it[0]: Invalid value: "a": must be an object for an array of list-type map'],
    ],
    [
      "an embedded object without a kind",
      {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
      },
      { apiVersion: "" },
      ['it.apiVersion: Invalid value: "": must not be empty', "it.kind: Required value"],
    ],
    [
      "a list twice in a map, under the map's key",
      { type: "object", additionalProperties: { type: "array", "x-kubernetes-list-type": "set" } },
      { "a.b": [1, 1] },
      ["it[a.b][1]: Duplicate value: 1"],
    ],
  ])("%s", (_, schema, value, expected) => {
    expect(problems(schema, value)).toEqual(expected);
  });

  test("every problem at once", () => {
    const schema: Structural = {
      type: "object",
      required: ["a"],
      properties: { b: { type: "string" }, c: { type: "boolean" } },
    };
    expect(problems(schema, { b: 1, c: "x" })).toHaveLength(3);
  });
});

describe("validate() on an update", () => {
  const strict: Structural = {
    type: "object",
    properties: { a: { type: "string", maxLength: 1 }, b: { type: "string" } },
  };

  test("lets a value through that was there before", () => {
    expect(problems(strict, { a: "long", b: "new" }, { a: "long", b: "old" })).toEqual([]);
  });

  test("refuses the same value when it is new", () => {
    expect(problems(strict, { a: "long" }, { a: "gone" })).toHaveLength(1);
  });

  test("knows the items of a list by their keys", () => {
    const keyed = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["b"] } as const;
    const list: Structural = { type: "array", items: strict, ...keyed };
    expect(problems(list, [{ b: "y" }, { b: "x", a: "long" }], [{ b: "x", a: "long" }])).toEqual([]);
    expect(
      problems({ type: "array", items: strict }, [{ b: "y" }, { a: "long" }], [{ a: "long" }]),
    ).toHaveLength(1);
  });

  test("does not look for repeats where there were some before", () => {
    const set: Structural = { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" };
    expect(problems(set, ["a", "a", "b"], ["a", "a"])).toEqual([]);
  });
});
