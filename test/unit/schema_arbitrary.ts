import fc from "fast-check";
import { prune } from "../../src/kube/schema/prune.ts";
import type { Structural } from "../../src/kube/schema/structural.ts";
import { validate } from "../../src/kube/schema/validate.ts";
import type { Json } from "../../src/lib/json.ts";

const NAMES = ["a", "b", "name", "kind", "x-y"] as const;
const KEYS = fc.constantFrom("a", "b", "name", "k.8", "z");
const FORMATS = [
  "date-time",
  "date",
  "duration",
  "byte",
  "uuid",
  "uuid4",
  "ipv4",
  "ipv6",
  "cidr",
  "hostname",
] as const;
const MORE_FORMATS = ["password", "int32", "made-up"] as const;
const PATTERNS = ["^[a-c]+$", "b", "^.{2}$", "(?i)^AB?$", "^\\d+(\\.\\d+)?$"] as const;

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", "c", "1", ".", "-", " ", "é", "😀", "T", '"'), maxLength: 5 }),
  fc.constantFrom(
    "2024-02-29T23:59:59Z",
    "2023-02-29T00:00:00Z",
    "2024-01-01t00:00:00.5+01:00",
    "2024-01-01T24:00:00Z",
    "2024-01-01",
    "2024-13-01",
    "1h30m",
    "-1.5s",
    "2 days",
    "5",
    "0",
    "aGk=",
    "aGk",
    "01234567-89ab-4cde-8f01-23456789abcd",
    "0123456789ab4cde8f0123456789abcd",
    "10.0.0.1",
    "010.0.0.1",
    "256.0.0.1",
    "::1",
    "1::2::3",
    "::ffff:1.2.3.4",
    "fe80::1%eth0",
    "10.0.0.0/8",
    "::/129",
    "example.com",
    "-bad",
    "a_b",
    "xn--p1ai.example",
    "a.b.1",
  ),
);
const integer = fc.oneof(fc.integer({ min: -4, max: 12 }), fc.constantFrom(2 ** 31, 2 ** 53, -(2 ** 40)));
const fraction = fc.constantFrom(0.5, 1.5, -2.25, 3.75, 1e-7, 1e22, 2.5e20);

function optional<T>(values: { [K in keyof T]: fc.Arbitrary<NonNullable<T[K]>> }): fc.Arbitrary<Partial<T>> {
  return fc.record(values as { [K in keyof T]: fc.Arbitrary<T[K]> }, { requiredKeys: [] }) as fc.Arbitrary<
    Partial<T>
  >;
}

const size = fc.integer({ min: 0, max: 3 });
const shared = fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, fc.constant({ nullable: true }));

const stringSchema = optional<Structural>({
  minLength: size,
  maxLength: fc.integer({ min: 1, max: 4 }),
  pattern: fc.constantFrom(...PATTERNS),
}).map((checks): Structural => ({ type: "string", ...checks }));
const formatSchema = fc
  .constantFrom(...FORMATS, ...MORE_FORMATS)
  .map((format): Structural => ({ type: "string", format }));
const enumSchema = fc
  .uniqueArray(text, { minLength: 1, maxLength: 3 })
  .map((values): Structural => ({ type: "string", enum: values }));
const numberChecks = optional<Structural>({
  minimum: fc.constantFrom(-2, 0, 1.5, 3),
  maximum: fc.constantFrom(4, 7.5, 10),
  exclusiveMinimum: fc.boolean(),
  exclusiveMaximum: fc.boolean(),
  multipleOf: fc.constantFrom(0.5, 1, 2, 2.5),
});
const numberSchema = fc
  .tuple(fc.constantFrom("integer", "number"), numberChecks)
  .map(([type, checks]): Structural => ({ type, ...checks }));
const numberEnumSchema = fc.constant<Structural>({ type: "number", enum: [1, 2.5] });
const intOrStringSchema = optional<Structural>({ maxLength: size, minimum: size }).map(
  (checks): Structural => ({ "x-kubernetes-int-or-string": true, ...checks }),
);
const anythingSchema = fc.constantFrom<Structural>(
  { "x-kubernetes-preserve-unknown-fields": true },
  { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  { type: "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-embedded-resource": true },
);
const junctorSchema = fc.constantFrom<Structural>(
  { type: "string", maxLength: 9, anyOf: [{ pattern: "^a" }, { pattern: "b$" }] },
  { type: "integer", oneOf: [{ minimum: 3 }, { maximum: 5 }] },
  { type: "integer", allOf: [{ minimum: 1 }, { maximum: 5 }], not: { enum: [3] } },
  { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
);
const scalarSchema = fc.oneof(
  { weight: 3, arbitrary: stringSchema },
  { weight: 3, arbitrary: formatSchema },
  { weight: 1, arbitrary: enumSchema },
  { weight: 3, arbitrary: numberSchema },
  { weight: 1, arbitrary: numberEnumSchema },
  { weight: 1, arbitrary: intOrStringSchema },
  { weight: 1, arbitrary: fc.constant<Structural>({ type: "boolean" }) },
);

function objectSchema(child: fc.Arbitrary<Structural>): fc.Arbitrary<Structural> {
  const properties = fc.dictionary(fc.constantFrom(...NAMES), child, { minKeys: 1, maxKeys: 3 });
  return fc
    .tuple(
      properties,
      fc.subarray([...NAMES]),
      optional<Structural>({ minProperties: size, maxProperties: size }),
      fc.boolean(),
    )
    .map(([fields, required, checks, loose]) => ({
      type: "object" as const,
      properties: fields,
      ...(required.length > 0 ? { required } : {}),
      ...checks,
      ...(loose ? { "x-kubernetes-preserve-unknown-fields": true as const } : {}),
    }));
}

function mapSchema(child: fc.Arbitrary<Structural>): fc.Arbitrary<Structural> {
  return fc
    .tuple(child, optional<Structural>({ minProperties: size, maxProperties: size }))
    .map(([additionalProperties, checks]) => ({ type: "object" as const, additionalProperties, ...checks }));
}

function listSchema(child: fc.Arbitrary<Structural>): fc.Arbitrary<Structural> {
  const checks = optional<Structural>({ minItems: size, maxItems: size });
  const plain = fc
    .tuple(child, checks)
    .map(([items, more]): Structural => ({ type: "array", items, ...more }));
  const set = fc
    .tuple(fc.oneof(stringSchema, numberSchema), checks)
    .map(([items, more]): Structural => ({ type: "array", items, "x-kubernetes-list-type": "set", ...more }));
  const keyed = fc
    .tuple(fc.subarray(["a", "b"], { minLength: 1 }), child, checks)
    .map(([keys, other, more]): Structural => {
      const items: Structural = {
        type: "object",
        required: keys,
        properties: { a: { type: "string" }, b: { type: "integer" }, other },
      };
      const listKeys = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys } as const;
      return { type: "array", items, ...listKeys, ...more };
    });
  return fc.oneof(plain, set, keyed);
}

function schemaOfDepth(depth: number): fc.Arbitrary<Structural> {
  if (depth === 0) return fc.tuple(scalarSchema, shared).map(([schema, more]) => ({ ...schema, ...more }));
  const child = schemaOfDepth(depth - 1);
  return fc
    .tuple(
      fc.oneof(
        { weight: 3, arbitrary: scalarSchema },
        { weight: 3, arbitrary: objectSchema(child) },
        { weight: 2, arbitrary: mapSchema(child) },
        { weight: 3, arbitrary: listSchema(child) },
        { weight: 1, arbitrary: anythingSchema },
        { weight: 1, arbitrary: junctorSchema },
      ),
      shared,
    )
    .map(([schema, more]) => ({ ...schema, ...more }));
}

/** Any JSON, small, with the names that the schemas use. */
const anyValue: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(text, integer, fraction, fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(KEYS, tie("value"), { maxKeys: 3 }),
  ),
})).value;

/** Values for a schema: mostly of its shape, often just beside it. */
export function valueFor(schema: Structural): fc.Arbitrary<Json> {
  return fc.oneof({ weight: 9, arbitrary: shaped(schema) }, { weight: 1, arbitrary: anyValue });
}

function shaped(schema: Structural): fc.Arbitrary<Json> {
  if (schema.enum) return fc.oneof(fc.constantFrom(...schema.enum), text, integer, fraction);
  if (schema["x-kubernetes-int-or-string"]) return fc.oneof(text, integer, fraction);
  switch (schema.type) {
    case "string":
      return text;
    case "integer":
      return fc.oneof({ weight: 5, arbitrary: integer }, fraction);
    case "number":
      return fc.oneof(integer, fraction);
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(schema.items ? valueFor(schema.items) : anyValue, { maxLength: 4 });
    case "object":
      return shapedObject(schema);
    default:
      return anyValue;
  }
}

function shapedObject(schema: Structural): fc.Arbitrary<Json> {
  const rest = schema.additionalProperties;
  if (typeof rest === "object") return fc.dictionary(KEYS, valueFor(rest), { maxKeys: 4 });
  const fields: Record<string, fc.Arbitrary<Json>> = { unknown: anyValue };
  if (schema["x-kubernetes-embedded-resource"]) {
    fields.apiVersion = fc.constantFrom<Json>("v1", "", "a/b/c", "apps/v1");
    fields.kind = fc.constantFrom<Json>("Pod", "", "No Kind");
  }
  for (const [name, child] of Object.entries(schema.properties ?? {})) fields[name] = valueFor(child);
  const stray = fc.constantFrom<readonly string[]>(["unknown"], []);
  return fc.tuple(fc.record(fields, { requiredKeys: [] }), stray).map(([value, drop]) => {
    return Object.fromEntries(Object.entries(value).filter(([name]) => !drop.includes(name))) as Json;
  });
}

/** Random schemas, without defaults; give them to `withDefaults`. */
export const anySchema: fc.Arbitrary<Structural> = schemaOfDepth(3);

/** The schema with defaults at some of its nodes, each one valid and complete: others a CRD may not have. */
export function withDefaults(
  schema: Structural,
  sample: (values: fc.Arbitrary<Json>) => Json,
  chance: () => number,
): Structural {
  const descend = (child: Structural) => withDefaults(child, sample, chance);
  const below: Structural = {
    ...schema,
    ...(schema.properties
      ? { properties: Object.fromEntries(Object.entries(schema.properties).map(([k, v]) => [k, descend(v)])) }
      : {}),
    ...(typeof schema.additionalProperties === "object"
      ? { additionalProperties: descend(schema.additionalProperties) }
      : {}),
    ...(schema.items && schema["x-kubernetes-list-type"] === undefined
      ? { items: descend(schema.items) }
      : {}),
  };
  if (chance() > 0.3) return below;
  for (let attempt = 0; attempt < 5; attempt++) {
    const candidate = sample(shaped(below));
    if (candidate !== null && isGoodDefault(below, candidate)) return { ...below, default: candidate };
  }
  return below;
}

function isGoodDefault(schema: Structural, value: Json): boolean {
  const root: Structural = { type: "object", properties: { it: schema } };
  return prune(root, { it: value }).unknown.length === 0 && validate(root, { it: value }).length === 0;
}
