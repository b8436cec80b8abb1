import type { ValidationRule } from "../../src/kube/schema/structural.ts";
import { type BrokenCrd, crdWith, text } from "./broken_crd.ts";
import { BROKEN_DEFINITIONS } from "./schema_broken_definitions.ts";

/** One property of the spec is broken. */
function field(name: string, schema: unknown, path: string, message: string, ours?: true): BrokenCrd {
  return {
    name,
    crd: (group) => crdWith(group, { it: schema }),
    path: `.properties[it]${path}`,
    message,
    ...(ours ? { ours } : {}),
  };
}

function ruled(name: string, rule: ValidationRule, path: string, message: string, ours?: true): BrokenCrd {
  const schema = { ...text, "x-kubernetes-validations": [rule] };
  return field(name, schema, `.x-kubernetes-validations[0]${path}`, message, ours);
}

const item = { type: "object", properties: { k: text }, required: ["k"] };
const list = { type: "array", maxItems: 3, description: "A list." };
const keyed = { ...list, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };

export const BROKEN: readonly BrokenCrd[] = [
  field("a node without a type", { description: "It." }, ".type", "is missing"),
  field("a type that is none", { type: "text", description: "It." }, ".type", "text is not a type"),
  field("a list without items", { ...list }, ".items", "is missing"),
  field("items for each position", { ...list, items: [text, text] }, ".items", "one schema for all"),
  field("a reference", { ...text, $ref: "#/x" }, ".$ref", "not part of a structural schema"),
  field(
    "unique items",
    { ...list, items: text, uniqueItems: true },
    ".uniqueItems",
    "not part of a structural schema",
  ),
  field(
    "properties beside additionalProperties",
    {
      type: "object",
      description: "It.",
      maxProperties: 2,
      properties: { a: text },
      additionalProperties: text,
    },
    ".additionalProperties",
    "excludes properties",
  ),
  field(
    "an exclusive bound in the newer form",
    { type: "integer", description: "It.", exclusiveMinimum: 3 },
    ".exclusiveMinimum",
    "must be true or false",
  ),
  field("a pattern with look-ahead", { ...text, pattern: "a(?=b)" }, ".pattern", "look-around"),
  field("a pattern with a back-reference", { ...text, pattern: "(a)\\1" }, ".pattern", "back-references"),
  field("a pattern that repeats too often", { ...text, pattern: "a{1001}" }, ".pattern", "1000 times"),
  field("a pattern that is none", { ...text, pattern: "(" }, ".pattern", "Invalid regular expression"),
  field(
    "a type inside anyOf",
    { ...text, anyOf: [{ type: "string" }] },
    ".anyOf[0].type",
    "forbidden inside",
  ),
  field(
    "a description inside not",
    { ...text, not: { description: "no" } },
    ".not[0].description",
    "forbidden inside",
  ),
  field(
    "a field known only inside oneOf",
    {
      type: "object",
      description: "It.",
      properties: { b: text },
      oneOf: [{ properties: { a: { minLength: 1 } } }],
    },
    ".oneOf[0].properties[a]",
    "outside of it too",
    true,
  ),
  field(
    "int-or-string's anyOf without the mark",
    {
      anyOf: [{ type: "integer" }, { type: "string" }],
      description: "It.",
      "x-kubernetes-preserve-unknown-fields": true,
    },
    ".anyOf",
    "needs x-kubernetes-int-or-string",
    true,
  ),
  field(
    "int-or-string with unknown fields",
    {
      "x-kubernetes-int-or-string": true,
      maxLength: 9,
      "x-kubernetes-preserve-unknown-fields": true,
      description: "It.",
    },
    ".x-kubernetes-int-or-string",
    "excludes",
  ),
  field(
    "preserve-unknown-fields that is false",
    { type: "object", description: "It.", "x-kubernetes-preserve-unknown-fields": false },
    ".x-kubernetes-preserve-unknown-fields",
    "true or left out",
  ),
  field(
    "an embedded resource that is a text",
    { ...text, "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    ".x-kubernetes-embedded-resource",
    "objects alone",
  ),
  field(
    "an embedded resource without fields",
    { type: "object", description: "It.", "x-kubernetes-embedded-resource": true },
    ".x-kubernetes-embedded-resource",
    "needs properties",
  ),
  field(
    "a list type on a text",
    { ...text, "x-kubernetes-list-type": "set" },
    ".x-kubernetes-list-type",
    "arrays alone",
  ),
  field(
    "a map type on a text",
    { ...text, "x-kubernetes-map-type": "atomic" },
    ".x-kubernetes-map-type",
    "objects alone",
  ),
  field(
    "list keys without the list type",
    { ...list, items: item, "x-kubernetes-list-map-keys": ["k"] },
    ".x-kubernetes-list-map-keys",
    "type map alone",
  ),
  field(
    "a list map without keys",
    { ...keyed, items: item, "x-kubernetes-list-map-keys": [] },
    ".x-kubernetes-list-map-keys",
    "is missing",
  ),
  field("a list map of texts", { ...keyed, items: text }, ".items.type", "must be object"),
  field(
    "a list key that is no field",
    { ...keyed, items: { ...item, properties: { other: text }, required: [] } },
    ".x-kubernetes-list-map-keys",
    "no field",
  ),
  field(
    "a list key that may be missing",
    { ...keyed, items: { ...item, required: [] } },
    ".x-kubernetes-list-map-keys",
    "required or have a default",
  ),
  field(
    "a list key that may be null",
    { ...keyed, items: { ...item, properties: { k: { ...text, nullable: true } } } },
    ".x-kubernetes-list-map-keys",
    "nullable",
  ),
  field(
    "a list key that is a list",
    { ...keyed, items: { ...item, properties: { k: { ...list, items: text } } } },
    ".x-kubernetes-list-map-keys",
    "not a scalar",
  ),
  field(
    "a list key twice",
    { ...keyed, items: item, "x-kubernetes-list-map-keys": ["k", "k"] },
    ".x-kubernetes-list-map-keys",
    "twice",
  ),
  field(
    "a list map whose items may be null",
    { ...keyed, items: { ...item, nullable: true } },
    ".items.nullable",
    "forbidden",
  ),
  field(
    "a set of plain objects",
    { ...list, items: item, "x-kubernetes-list-type": "set" },
    ".items.x-kubernetes-map-type",
    "must be atomic",
  ),
  field(
    "a set whose items may be null",
    { ...list, items: { ...text, nullable: true }, "x-kubernetes-list-type": "set" },
    ".items.nullable",
    "forbidden",
  ),
  field("a default of the wrong type", { ...text, default: 3 }, ".default", "must be of type string"),
  field("a default that is too long", { ...text, default: "0123456789" }, ".default", "Too long"),
  field(
    "a default with an unknown field",
    { type: "object", description: "It.", properties: { a: text }, default: { b: 1 } },
    ".default",
    "unknown field",
  ),
  field("a null as default", { ...text, default: null }, ".default", "null is no default", true),
  field(
    "a format that the interpreter cannot check",
    { ...text, format: "email" },
    ".format",
    "not checked",
    true,
  ),
  field(
    "a fraction as factor of an integer",
    { type: "integer", description: "It.", multipleOf: 0.5 },
    ".multipleOf",
    "at least 1",
    true,
  ),
  field("a text without a maximum", { type: "string", description: "It." }, ".maxLength", "is missing", true),
  field(
    "a list without a maximum",
    { type: "array", description: "It.", items: text },
    ".maxItems",
    "is missing",
    true,
  ),
  field(
    "a map without a maximum",
    { type: "object", description: "It.", additionalProperties: text },
    ".maxProperties",
    "is missing",
    true,
  ),
  field("a node without a description", { type: "boolean" }, ".description", "is missing", true),
  ruled("a rule that is empty", { rule: " ", message: "no" }, ".rule", "is empty"),
  ruled("a rule that does not parse", { rule: "self ==", message: "no" }, ".rule", "does not compile"),
  ruled("a rule that misuses a type", { rule: "self > 3", message: "no" }, ".rule", "does not compile"),
  ruled(
    "a rule that names an unknown field",
    { rule: "self.nope == 'a'", message: "no" },
    ".rule",
    "does not compile",
  ),
  ruled(
    "a rule that names an unknown variable",
    { rule: "other == 'a'", message: "no" },
    ".rule",
    "does not compile",
  ),
  ruled("a rule that gives no bool", { rule: "self", message: "no" }, ".rule", "gives string"),
  ruled("a message in two lines", { rule: "self == 'a'", message: "no\nno" }, ".message", "one line"),
  ruled(
    "a message expression that gives no string",
    { rule: "self == 'a'", message: "no", messageExpression: "1" },
    ".messageExpression",
    "not a string",
  ),
  ruled(
    "a message expression that does not compile",
    { rule: "self == 'a'", message: "no", messageExpression: "1 +" },
    ".messageExpression",
    "does not compile",
  ),
  ruled(
    "a field path that leads nowhere",
    { rule: "self == 'a'", message: "no", fieldPath: ".nope" },
    ".fieldPath",
    "no field",
  ),
  ruled(
    "optionalOldSelf without oldSelf",
    { rule: "self == 'a'", message: "no", optionalOldSelf: true },
    ".optionalOldSelf",
    "use oldSelf",
  ),
  ruled("a rule without a message", { rule: "self == 'a'" }, ".message", "is missing", true),
  field(
    "oldSelf inside a list without keys",
    { ...list, items: { ...text, "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "no" }] } },
    ".items.x-kubernetes-validations[0].rule",
    "list without keys",
  ),
  ...BROKEN_DEFINITIONS,
];
