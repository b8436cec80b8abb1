import { z } from "zod";
import { celName } from "./cel_name.ts";
import type { ValidationRule } from "./structural.ts";

// The words that kinds are written in, beside zod's own. Loaded when files are generated, never by a program.

/** Adds a CEL rule to a schema. */
export function rule<S extends z.ZodType>(schema: S, added: ValidationRule): S {
  const meta = schema.meta() ?? {};
  const rules = (meta["x-kubernetes-validations"] ?? []) as readonly ValidationRule[];
  return schema.meta({ ...meta, "x-kubernetes-validations": [...rules, added] });
}

/**
 * A value that an update may not change. It says nothing of a field that comes or goes: such a rule runs only
 * when there is a value before and after. For optional fields use `immutableFields` on the object around them.
 */
export function immutable<S extends z.ZodType>(schema: S): S {
  return rule(schema, { rule: "self == oldSelf", message: "is immutable" });
}

/** An object whose named fields an update may neither change, add nor remove. */
export function immutableFields<S extends z.ZodObject>(
  schema: S,
  ...fields: readonly (keyof z.infer<S> & string)[]
): S {
  return fields.reduce((guarded, field) => {
    const { self, old } = access(field);
    return rule(guarded, {
      rule: `has(${self}) == has(${old}) && (!has(${self}) || ${self} == ${old})`,
      message: `${field} is immutable`,
    });
  }, schema);
}

/** An object whose named fields may be set later, and from then on neither change nor go. */
export function setOnce<S extends z.ZodObject>(
  schema: S,
  ...fields: readonly (keyof z.infer<S> & string)[]
): S {
  return fields.reduce((guarded, field) => {
    const { self, old } = access(field);
    return rule(guarded, {
      rule: `!has(${old}) || (has(${self}) && ${self} == ${old})`,
      message: `${field} is immutable once set`,
    });
  }, schema);
}

type Members = Readonly<Record<string, z.ZodType>>;
type Union<M extends Members> = z.ZodObject<{ [K in keyof M]: z.ZodOptional<M[K]> }>;

/** An externally tagged union: an object with exactly one of these fields. */
export function oneOf<M extends Members>(members: M): Union<M> {
  const names = Object.keys(members);
  const shape = Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [name, schema.optional()]),
  );
  const present = names.map((name) => `has(${access(name).self})`);
  const union = z.object(shape).meta({ [UNION_MARK]: true }) as unknown as Union<M>;
  return rule(union, {
    rule: `[${present.join(", ")}].exists_one(set, set)`,
    message: `exactly one of ${names.join(", ")} must be set`,
  });
}

/** Marks a union on its way to the generated type; it is in no CRD. */
export const UNION_MARK = "x-holdfast-union";

function access(field: string): { readonly self: string; readonly old: string } {
  const name = celName(field);
  if (name === undefined) throw new TypeError(`CEL rules cannot name the field ${JSON.stringify(field)}`);
  return { self: `self.${name}`, old: `oldSelf.${name}` };
}

/** A port by number or name, a share or a count. */
export function intOrString(): z.ZodType<number | string> {
  return z.union([z.int(), z.string()]).meta({ "x-kubernetes-int-or-string": true, maxLength: 64 });
}

/** An amount as Kubernetes writes it: `10Gi`, `500m`. A plain number is taken too. */
export function quantity(): z.ZodType<number | string> {
  return intOrString().meta({ "x-kubernetes-int-or-string": true, pattern: QUANTITY, maxLength: 64 });
}

const QUANTITY = "^[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\\d+)?$";

/** A length of time as Go writes it: `1h30m`, `15s`. */
export function duration(): z.ZodString {
  return z
    .string()
    .max(32)
    .regex(/^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$/);
}

/** A moment in time. */
export function timestamp(): z.ZodString {
  return z.string().max(64).meta({ format: "date-time" });
}

/** The name of an object: a DNS subdomain. */
export function objectName(): z.ZodString {
  return z
    .string()
    .min(1)
    .max(253)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
}

/** A type of Kubernetes' own, taken as it is: what is in it, a dry-run create decides. */
export function opaque(): z.ZodType<Record<string, unknown>> {
  return z.looseObject({}).meta({ "x-kubernetes-preserve-unknown-fields": true });
}

/** A whole object within the object, with its apiVersion and kind. */
export function embeddedObject(): z.ZodType<Record<string, unknown>> {
  return opaque().meta({
    "x-kubernetes-preserve-unknown-fields": true,
    "x-kubernetes-embedded-resource": true,
  });
}

/** A list whose items are told apart by some of their fields; each key field is required or has a default. */
export function listMap<S extends z.ZodObject>(
  item: S,
  keys: readonly (keyof z.infer<S> & string)[],
  max: number,
): z.ZodArray<S> {
  return z
    .array(item)
    .max(max)
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [...keys] });
}

/** A list in which nothing is twice. */
export function listSet<S extends z.ZodType>(item: S, max: number): z.ZodArray<S> {
  return z.array(item).max(max).meta({ "x-kubernetes-list-type": "set" });
}

/** A map of texts by name. */
export function stringMap(options: {
  readonly maxEntries: number;
  readonly maxLength: number;
}): z.ZodRecord<z.ZodString, z.ZodString> {
  const { maxEntries, maxLength } = options;
  return z.record(z.string(), z.string().max(maxLength)).meta({ maxProperties: maxEntries });
}

/** Labels, as an object's metadata has them. */
export function labels(): z.ZodRecord<z.ZodString, z.ZodString> {
  return stringMap({ maxEntries: 64, maxLength: 63 });
}

/** Annotations, as an object's metadata has them; shorter than Kubernetes would allow. */
export function annotations(): z.ZodRecord<z.ZodString, z.ZodString> {
  return stringMap({ maxEntries: 64, maxLength: 4096 });
}
