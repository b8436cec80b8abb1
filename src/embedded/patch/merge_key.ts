import { isRecord } from "../../lib/json.ts";
import { PatchRefused } from "./patch_refused.ts";

/** What identifies an item of a list: its field `key`, which it must have, or the item itself when there is no key. */
export function keyOf(item: unknown, key: string | undefined): unknown {
  if (key === undefined) return item;
  if (!isRecord(item)) {
    throw new PatchRefused(500, `expected a map[string]interface {}, but received a ${typeof item}`);
  }
  const value = item[key];
  if (value !== undefined) return value;
  throw new PatchRefused(500, `map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
}
