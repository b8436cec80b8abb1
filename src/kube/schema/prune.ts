import { isRecord } from "../../lib/json.ts";
import { META_FIELDS, type Structural } from "./structural.ts";

export interface Pruned {
  readonly value: unknown;
  /** Paths of the fields that the schema does not know, sorted. */
  readonly unknown: readonly string[];
}

/** A copy of an object without the fields that its schema does not know. */
export function prune(schema: Structural, object: unknown): Pruned {
  const unknown: string[] = [];
  const value = pruneNode({ ...schema, "x-kubernetes-embedded-resource": true }, object, "", unknown);
  return { value, unknown: unknown.sort() };
}

function pruneNode(schema: Structural | undefined, value: unknown, path: string, unknown: string[]): unknown {
  const keep = schema?.["x-kubernetes-preserve-unknown-fields"] === true;
  if (Array.isArray(value)) {
    return value.map((item, i) => pruneItem(schema, item, `${path}[${i}]`, unknown, keep));
  }
  if (!isRecord(value)) return value;
  const kept: [string, unknown][] = [];
  for (const [name, child] of Object.entries(value)) {
    const childPath = path === "" ? name : `${path}.${name}`;
    const known = knownField(schema, name);
    if (known === "meta") kept.push([name, child]);
    else if (known) kept.push([name, pruneNode(known.schema, child, childPath, unknown)]);
    else if (keep) kept.push([name, child]);
    else unknown.push(childPath);
  }
  return Object.fromEntries(kept);
}

/** Below a list whose unknown fields are kept, the items keep theirs too, whatever their own schema says. */
function pruneItem(
  schema: Structural | undefined,
  item: unknown,
  path: string,
  unknown: string[],
  keep: boolean,
): unknown {
  const items = schema?.items;
  if (!keep) return pruneNode(items, item, path, unknown);
  return pruneNode({ ...items, "x-kubernetes-preserve-unknown-fields": true }, item, path, unknown);
}

function knownField(
  schema: Structural | undefined,
  name: string,
): "meta" | { readonly schema: Structural | undefined } | undefined {
  if (schema?.["x-kubernetes-embedded-resource"] && META_FIELDS.has(name)) return "meta";
  const properties = schema?.properties;
  if (properties && Object.hasOwn(properties, name)) return { schema: properties[name] };
  const rest = schema?.additionalProperties;
  if (rest === undefined) return undefined;
  return { schema: rest === true ? undefined : rest };
}
