import { isRecord } from "../../lib/json.ts";

// What templates are handed never changes, so each value is measured once.
const keys = new WeakMap<object, number>();
const sizes = new WeakMap<object, number>();

/** How many keys a map has. To ask the engine takes as long as the map is large, even for whether there are any. */
export function keyCount(map: object): number {
  const known = keys.get(map);
  if (known !== undefined) return known;
  const count = Object.keys(map).length;
  keys.set(map, count);
  return count;
}

/** About how many characters a value has when it is written out. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = 2;
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item) + 1;
  else if (isRecord(value)) {
    for (const [key, item] of Object.entries(value)) size += key.length + sizeOf(item) + 4;
  }
  sizes.set(value, size);
  return size;
}
