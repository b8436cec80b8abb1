import { isRecord, jsonEqual } from "../../lib/json.ts";
import { fieldSchema, type Structural } from "./structural.ts";

/** Finds an item's predecessor. Only lists with keys have one: elsewhere a position or an equal value says nothing. */
export function correlate(schema: Structural, old: unknown): (item: unknown) => unknown {
  const keys = schema["x-kubernetes-list-map-keys"];
  if (schema["x-kubernetes-list-type"] !== "map" || !keys || !Array.isArray(old)) return () => undefined;
  const byKey = new Map<string, unknown>();
  for (const item of old) {
    const key = completeKey(keys, item);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
  }
  return (item) => byKey.get(completeKey(keys, item) ?? "");
}

/** The key of an item that has all its key fields, each a scalar: without them it cannot be found again. */
function completeKey(keys: readonly string[], item: unknown): string | undefined {
  const values = Object.values(listMapKeyFields(keys, item));
  const complete =
    values.length === keys.length && values.every((value) => value !== null && typeof value !== "object");
  return complete ? JSON.stringify(values) : undefined;
}

/** What makes an item of a list with keys the same item. */
export function listMapKey(keys: readonly string[], item: unknown): string {
  return JSON.stringify(listMapKeyFields(keys, item));
}

/** The key fields that an item has. */
export function listMapKeyFields(keys: readonly string[], item: unknown): Record<string, unknown> {
  if (!isRecord(item)) return {};
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key]]));
}

/**
 * True when an update leaves a value as it was, in the API server's sense: items with keys may change places,
 * and an object with fields that its schema does not know never counts as unchanged.
 */
export function unchanged(schema: Structural, value: unknown, old: unknown): boolean {
  if (Array.isArray(value) && Array.isArray(old)) {
    const { items } = schema;
    if (!items || schema["x-kubernetes-list-type"] !== "map") return jsonEqual(value, old);
    const oldItem = correlate(schema, old);
    return value.length === old.length && value.every((item) => unchanged(items, item, oldItem(item)));
  }
  if (!isRecord(value) || !isRecord(old)) return value === old;
  const names = Object.keys(value);
  if (names.length !== Object.keys(old).length) return false;
  return names.every((name) => {
    const child = fieldSchema(schema, name);
    return child !== undefined && Object.hasOwn(old, name) && unchanged(child, value[name], old[name]);
  });
}
