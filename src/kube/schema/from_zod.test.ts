import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fromZod, NotStructural, structuralOf } from "./from_zod.ts";
import * as v from "./vocabulary.ts";

describe("fromZod() translates", () => {
  test.each<[string, z.ZodType, unknown]>([
    [
      "a text with bounds",
      z.string().min(1).max(3).regex(/^a/),
      { type: "string", minLength: 1, maxLength: 3, pattern: "^a" },
    ],
    ["an integer, without zod's own bounds", z.int(), { type: "integer" }],
    [
      "a bound that is exclusive",
      z.number().gt(1).lt(2),
      { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: true },
    ],
    ["a literal", z.literal("a"), { type: "string", enum: ["a"] }],
    ["null that is allowed", z.string().nullable(), { type: "string", nullable: true }],
    [
      "a description and a default",
      z.boolean().default(true).describe("It."),
      { type: "boolean", default: true, description: "It." },
    ],
    ["a default of null to none", z.string().nullable().default(null), { type: "string", nullable: true }],
    [
      "an object, its optional fields and its defaults",
      z.object({ a: z.boolean(), b: z.boolean().optional(), c: z.int().default(1) }),
      {
        type: "object",
        properties: { a: { type: "boolean" }, b: { type: "boolean" }, c: { type: "integer", default: 1 } },
        required: ["a"],
      },
    ],
    [
      "a strict object to a plain one: unknown fields are pruned",
      z.strictObject({ a: z.boolean() }),
      { type: "object", properties: { a: { type: "boolean" } }, required: ["a"] },
    ],
    ["a map", z.record(z.string(), z.int()), { type: "object", additionalProperties: { type: "integer" } }],
    [
      "a list",
      z.array(z.int()).min(1).max(2),
      { type: "array", items: { type: "integer" }, minItems: 1, maxItems: 2 },
    ],
    ["int-or-string", v.intOrString(), { "x-kubernetes-int-or-string": true, maxLength: 64 }],
    ["something opaque", v.opaque(), { type: "object", "x-kubernetes-preserve-unknown-fields": true }],
    [
      "an embedded object",
      v.embeddedObject(),
      {
        type: "object",
        "x-kubernetes-preserve-unknown-fields": true,
        "x-kubernetes-embedded-resource": true,
      },
    ],
    [
      "a set",
      v.listSet(z.int(), 3),
      { type: "array", items: { type: "integer" }, maxItems: 3, "x-kubernetes-list-type": "set" },
    ],
    [
      "a list with keys",
      v.listMap(z.object({ k: z.int() }), ["k"], 3),
      {
        type: "array",
        maxItems: 3,
        items: { type: "object", properties: { k: { type: "integer" } }, required: ["k"] },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
      },
    ],
    [
      "rules, in order",
      v.rule(v.immutable(z.boolean()), { rule: "self", message: "no" }),
      {
        type: "boolean",
        "x-kubernetes-validations": [
          { rule: "self == oldSelf", message: "is immutable" },
          { rule: "self", message: "no" },
        ],
      },
    ],
  ])("%s", (_, schema, expected) => {
    expect(structuralOf(fromZod(schema))).toEqual(expected);
  });

  test("a shared schema wherever it is used", () => {
    const shared = z.object({ a: z.boolean() });
    const { properties } = fromZod(z.object({ one: shared, two: shared }));
    expect(properties?.one).toEqual(properties?.two);
    expect(properties?.one?.type).toBe("object");
  });

  test("a rule on a field that is optional and described", () => {
    const { properties } = fromZod(z.object({ a: v.immutable(z.boolean()).describe("It.").optional() }));
    expect(properties?.a).toMatchObject({
      description: "It.",
      "x-kubernetes-validations": [{ rule: "self == oldSelf" }],
    });
  });
});

describe("fromZod() refuses", () => {
  test.each<[string, z.ZodType, RegExp]>([
    [
      "a union",
      z.object({ a: z.union([z.string(), z.boolean()]) }),
      /^a: a CRD cannot hold a union; use oneOf\(\)/,
    ],
    [
      "a discriminated union",
      z.discriminatedUnion("t", [z.object({ t: z.literal("a") }), z.object({ t: z.literal("b") })]),
      /a union/,
    ],
    [
      "a tuple of several types",
      z.object({ a: z.array(z.tuple([z.string(), z.boolean()])) }),
      /^a\[\]\[\]: .* a union/,
    ],
  ])("%s", (_, schema, message) => {
    expect(() => fromZod(schema)).toThrow(NotStructural);
    expect(() => fromZod(schema)).toThrow(message);
  });

  test("a schema that refers to itself", () => {
    const node = z.object({
      get next() {
        return node.optional();
      },
    });
    expect(() => fromZod(node)).toThrow(NotStructural);
    expect(() => fromZod(node)).toThrow(/Cycle detected/);
  });

  test("a value that JSON does not have", () => {
    expect(() => fromZod(z.object({ a: z.date() }))).toThrow(NotStructural);
  });
});
