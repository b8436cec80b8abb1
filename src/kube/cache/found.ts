import { type KubeObject, keyOf, type ObjectName } from "../object.ts";
import type { Cache } from "./cache.ts";

/** An object, or that there is none, or that nobody can tell: its kind has not been read yet, or is not watched. */
export type Found<T> = T | "absent" | "unknown";

export function isPresent<T extends object>(found: Found<T>): found is T {
  return typeof found === "object";
}

/** Looks into a cache, which may not be filled yet. */
export function findIn<T extends KubeObject>(
  cache: Pick<Cache<T>, "get" | "synced">,
  { namespace, name }: ObjectName,
): Found<T> {
  return cache.get(keyOf({ namespace, name })) ?? (cache.synced ? "absent" : "unknown");
}
