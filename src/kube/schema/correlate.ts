import { isRecord } from "../../lib/json.ts";
import type { Structural } from "./structural.ts";

/** Finds an item's predecessor. Only lists with keys have one: elsewhere a position or an equal value says nothing. */
export function correlate(schema: Structural, old: unknown): (item: unknown) => unknown {
  const keys = schema["x-kubernetes-list-map-keys"];
  if (schema["x-kubernetes-list-type"] !== "map" || !keys || !Array.isArray(old)) return () => undefined;
  const byKey = new Map<string, unknown>();
  for (const item of old) {
    const key = listMapKey(keys, item);
    if (!byKey.has(key)) byKey.set(key, item);
  }
  return (item) => byKey.get(listMapKey(keys, item));
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
