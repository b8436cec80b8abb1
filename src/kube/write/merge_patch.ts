import { isRecord, jsonEqual } from "../../lib/json.ts";

/**
 * The JSON merge patch that turns `from` into `to`: a field that went away becomes null, a list is replaced
 * whole. Neither side may hold null as the value of a field: a merge patch cannot say it.
 */
export function mergePatch(
  from: Readonly<Record<string, unknown>>,
  to: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(from)) {
    if (value !== undefined && to[key] === undefined) patch[key] = null;
  }
  for (const [key, value] of Object.entries(to)) {
    if (value === undefined || jsonEqual(from[key], value)) continue;
    const before = from[key];
    patch[key] = isRecord(before) && isRecord(value) ? mergePatch(before, value) : value;
  }
  return patch;
}
