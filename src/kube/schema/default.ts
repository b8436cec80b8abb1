import { isRecord, type Json } from "../../lib/json.ts";
import { fieldSchema, type Structural } from "./structural.ts";

/**
 * A copy of a value with the schema's defaults filled in. A null where none is allowed gives way to the
 * default; without a default, the field is dropped, or kept as after a server-side apply. A null in a list stays,
 * for validation to refuse.
 */
export function applyDefaults(
  schema: Structural | undefined,
  value: unknown,
  nulls: "drop" | "keep" = "drop",
): unknown {
  if (!schema) return value;
  if (Array.isArray(value))
    return value.map((item) => applyDefaults(schema.items, orDefault(schema.items, item), nulls));
  if (!isRecord(value)) return value;
  const fields: [string, unknown][] = [];
  for (const name of Object.keys(value)) {
    const child = fieldSchema(schema, name);
    const field = orDefault(child, value[name]);
    if (field === null && child && !child.nullable && nulls === "drop") continue;
    fields.push([name, applyDefaults(child, field, nulls)]);
  }
  for (const [name, child] of defaultedFields(schema)) {
    if (Object.hasOwn(value, name)) continue;
    fields.push([name, applyDefaults(child, structuredClone(child.default), nulls)]);
  }
  return Object.fromEntries(fields);
}

type Defaulted = Structural & { readonly default: Json };

const known = new WeakMap<Structural, readonly (readonly [string, Defaulted])[]>();

/** The few of a schema's fields that have a default. */
function defaultedFields(schema: Structural): readonly (readonly [string, Defaulted])[] {
  const before = known.get(schema);
  if (before) return before;
  const found = Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
    hasDefault(child) ? [[name, child] as const] : [],
  );
  known.set(schema, found);
  return found;
}

/** A default of null is none. */
function hasDefault(schema: Structural): schema is Defaulted {
  return schema.default !== undefined && schema.default !== null;
}

function orDefault(schema: Structural | undefined, value: unknown): unknown {
  if (value !== null || !schema || schema.nullable || !hasDefault(schema)) return value;
  return structuredClone(schema.default);
}
