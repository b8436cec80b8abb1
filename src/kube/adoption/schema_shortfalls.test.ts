import { expect, test } from "vitest";
import type { Structural } from "../schema/structural.ts";
import { schemaShortfalls } from "./schema_shortfalls.ts";

const object = (properties: Readonly<Record<string, Structural>>, more: Structural = {}): Structural => ({
  type: "object",
  properties,
  ...more,
});
const text: Structural = { type: "string" };
const RULE = { rule: "self.a != self.b", message: "a and b differ" };
const ANYTHING = { "x-kubernetes-preserve-unknown-fields": true } as const;

const BY_A = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"] } as const;

/** A schema whose spec is this. */
const spec = (field: Structural) => object({ spec: object({ field }) });
const status = (field: Structural) => object({ status: object({ field }) });

test("schemaShortfalls() finds nothing in the same schema, nor in one that has more and says it otherwise", () => {
  const wanted = object(
    {
      metadata: { type: "object" },
      spec: object({ a: { ...text, maxLength: 9 }, b: { type: "array", items: text } }, { required: ["a"] }),
    },
    { "x-kubernetes-validations": [RULE] },
  );
  expect(schemaShortfalls(wanted, wanted)).toEqual([]);
  const wider = object(
    {
      spec: object(
        { a: { ...text, description: "another" }, b: { type: "array", items: text }, c: text },
        { required: ["a"] },
      ),
    },
    { "x-kubernetes-validations": [{ ...RULE, message: "not so" }] },
  );
  expect(schemaShortfalls(wanted, wider)).toEqual([]);
});

test.each<[what: string, wanted: Structural, present: Structural, shortfall: string]>([
  ["a field that is missing", spec(text), object({ spec: object({}) }), "spec.field is missing"],
  ["a whole status that is missing", status(text), object({}), "status is missing"],
  ["another type", spec(text), spec({ type: "integer" }), "spec.field is of type integer instead of string"],
  [
    "another type in a list",
    spec({ type: "array", items: object({ name: text }) }),
    spec({ type: "array", items: object({ name: { type: "boolean" } }) }),
    "spec.field[].name is of type boolean instead of string",
  ],
  [
    "another type in a map",
    spec({ type: "object", additionalProperties: text }),
    spec({ type: "object", additionalProperties: { type: "integer" } }),
    "spec.field.* is of type integer instead of string",
  ],
  [
    "no map",
    spec({ type: "object", additionalProperties: text }),
    spec(object({})),
    "spec.field.* is missing",
  ],
  [
    "a number instead of a number or a percentage",
    spec({ "x-kubernetes-int-or-string": true }),
    spec({ type: "integer" }),
    "spec.field is of type integer instead of integer or string",
  ],
  ["a field that may be null", spec(text), spec({ ...text, nullable: true }), "spec.field may be null"],
  [
    "elements that may be there twice",
    spec({ type: "array", items: object({ a: text }), ...BY_A }),
    spec({ type: "array", items: object({ a: text }) }),
    "spec.field is of list type atomic instead of map by a",
  ],
  [
    "elements of a status that may not be there twice",
    status({ type: "array", items: text }),
    status({ type: "array", items: text, "x-kubernetes-list-type": "set" }),
    "status.field is of list type set instead of atomic",
  ],
  [
    "a lower limit of a status",
    status({ ...text, maxLength: 9 }),
    status({ ...text, maxLength: 8 }),
    "status.field has maxLength 8 instead of 9",
  ],
  [
    "a limit of a status that has none here",
    status({ type: "array", items: text }),
    status({ type: "array", items: text, maxItems: 5 }),
    "status.field has maxItems 5 instead of none",
  ],
  [
    "a limit of a status from below",
    status({ type: "integer" }),
    status({ type: "integer", minimum: 1 }),
    "status.field has minimum 1 instead of none",
  ],
  [
    "another pattern of a status",
    status({ ...text, pattern: "a" }),
    status({ ...text, pattern: "b" }),
    'status.field has pattern "b" instead of "a"',
  ],
  [
    "alternatives in a status",
    status(text),
    status({ ...text, anyOf: [{ maxLength: 1 }] }),
    'status.field has anyOf [{"maxLength":1}] instead of none',
  ],
  [
    "a rule for a status that nobody here knows",
    status(object({})),
    status(object({}, { "x-kubernetes-validations": [RULE] })),
    'status.field is held to the rule "a and b differ" as well',
  ],
  [
    "a limit of a status that keeps anything",
    status(text),
    object({ status: { type: "object", maxProperties: 1, ...ANYTHING } }),
    "status has maxProperties 1 instead of none",
  ],
  [
    "a default that is missing",
    spec({ ...text, default: "a" }),
    spec(text),
    'spec.field has no default instead of the default "a"',
  ],
  [
    "a default where there is to be none",
    spec(text),
    spec({ ...text, default: "Delete" }),
    'spec.field has the default "Delete" instead of no default',
  ],
  [
    "a value that it refuses",
    spec({ ...text, enum: ["a", "b"] }),
    spec({ ...text, enum: ["a"] }),
    'spec.field may not be "b"',
  ],
  [
    "a value that nobody knows",
    spec({ ...text, enum: ["a"] }),
    spec({ ...text, enum: ["a", "z"] }),
    'spec.field may be "z", which nobody here knows',
  ],
  ["any value", spec({ ...text, enum: ["a"] }), spec(text), 'spec.field may be anything instead of ["a"]'],
  [
    "some values only",
    status(text),
    status({ ...text, enum: ["a"] }),
    'status.field may be nothing but ["a"]',
  ],
  ["null refused", status({ ...text, nullable: true }), status(text), "status.field may not be null"],
  [
    "a rule that is missing",
    spec(object({}, { "x-kubernetes-validations": [RULE] })),
    spec(object({})),
    'spec.field is not held to the rule "a and b differ"',
  ],
  [
    "a rule of the object that is missing",
    object({}, { "x-kubernetes-validations": [{ rule: "true" }] }),
    object({}),
    'the object is not held to the rule "true"',
  ],
  [
    "a rule of the object that nobody here knows: each status is held to it",
    object({ status: text }),
    object({ status: text }, { "x-kubernetes-validations": [RULE] }),
    'the object is held to the rule "a and b differ" as well',
  ],
  [
    "a field that is not required",
    object({ spec: object({ a: text }, { required: ["a"] }) }),
    object({ spec: object({ a: text }) }),
    "spec.a may be left out",
  ],
  [
    "a field that nobody here writes, and that is required",
    object({ status: object({ a: text }) }),
    object({ status: object({ a: text, b: text }, { required: ["b"] }) }),
    "status.b has to be there",
  ],
  [
    "a spec that may be left out",
    object({ spec: text }, { required: ["spec"] }),
    object({ spec: text }),
    "spec may be left out",
  ],
  [
    "unknown fields that are dropped",
    spec({ type: "object", ...ANYTHING }),
    spec(object({})),
    "spec.field does not keep fields that it does not know",
  ],
  [
    "a spec that nobody checks",
    spec(text),
    object({ spec: { type: "object", ...ANYTHING } }),
    "spec.field is missing",
  ],
  [
    "a status that keeps unknown fields, and describes one otherwise",
    status(text),
    object({ status: object({ field: { type: "integer" } }, ANYTHING) }),
    "status.field is of type integer instead of string",
  ],
  [
    "a status that keeps anything, as long as it is no list",
    object({ status: { type: "array", items: text } }),
    object({ status: { type: "object", ...ANYTHING } }),
    "status is of type object instead of array",
  ],
])("schemaShortfalls() names %s", (_, wanted, present, shortfall) => {
  expect(schemaShortfalls(wanted, present)).toEqual([shortfall]);
});

test.each<[what: string, wanted: Structural, present: Structural]>([
  [
    "is kept, whatever it is",
    object({ status: object({ a: object({ b: text }, { required: ["b"] }) }) }),
    object({ status: { type: "object", ...ANYTHING } }),
  ],
  ["is kept beside what is described", status(text), object({ status: object({}, ANYTHING) })],
  [
    "may be left out",
    object({ status: object({ a: text }, { required: ["a"] }) }),
    object({ status: object({ a: text }) }),
  ],
  [
    "may be null, and has wider limits",
    status({ ...text, maxLength: 9, minLength: 1, pattern: "a" }),
    status({ ...text, maxLength: 10, nullable: true }),
  ],
  [
    "says twice that it is a number or a percentage",
    status({ "x-kubernetes-int-or-string": true }),
    status({ "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }),
  ],
])("schemaShortfalls() is content with a status that %s", (_, wanted, present) => {
  expect(schemaShortfalls(wanted, present)).toEqual([]);
});

const named = (name: Structural) => object({ metadata: object({ name }) });

test.each<[what: string, wanted: Structural, present: Structural, shortfall: string]>([
  [
    "a tighter limit",
    spec({ ...text, maxLength: 9 }),
    spec({ ...text, maxLength: 8 }),
    "spec.field has maxLength 8 instead of 9",
  ],
  [
    "one more rule",
    spec(object({})),
    spec(object({}, { "x-kubernetes-validations": [RULE] })),
    'spec.field is held to the rule "a and b differ" as well',
  ],
  [
    "elements that may be there only once",
    spec({ type: "array", items: text }),
    spec({ type: "array", items: text, "x-kubernetes-list-type": "set" }),
    "spec.field is of list type set instead of atomic",
  ],
  [
    "shorter names",
    named({}),
    named({ ...text, maxLength: 20 }),
    "metadata.name has maxLength 20 instead of none",
  ],
])(
  "schemaShortfalls() names %s where such objects are created here, and not where people alone do",
  (_, wanted, present, shortfall) => {
    expect(schemaShortfalls(wanted, present, { created: true })).toEqual([shortfall]);
    expect(schemaShortfalls(wanted, present)).toEqual([]);
  },
);

test("schemaShortfalls() holds a spec that is written here to what is read there as well", () => {
  const wanted = object({ spec: object({ a: text, b: { ...text, default: "c" } }, { required: ["a"] }) });
  const kept = object({ spec: { type: "object", ...ANYTHING } });
  expect(schemaShortfalls(wanted, kept, { created: true })).toEqual(schemaShortfalls(wanted, kept));
  expect(schemaShortfalls(wanted, kept, { created: true })).toEqual([
    "spec.a may be left out",
    "spec.a is missing",
    "spec.b is missing",
  ]);
});

test("schemaShortfalls() names each thing of several, and a field whose name every object has", () => {
  const wanted = object({ spec: object({ constructor: text, a: text, b: { ...text, default: "c" } }) });
  expect(schemaShortfalls(wanted, object({ spec: object({ b: text }) }))).toEqual([
    "spec.constructor is missing",
    "spec.a is missing",
    'spec.b has no default instead of the default "c"',
  ]);
});
