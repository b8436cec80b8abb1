import { isRecord } from "../../lib/json.ts";
import { PatchRefused } from "./patch_refused.ts";

/** A JSON merge patch (RFC 7386) laid over an object. */
export function applyMergePatch(
  object: Readonly<Record<string, unknown>>,
  patch: unknown,
): Record<string, unknown> {
  if (isRecord(patch)) return mergeInto(object, patch);
  const type = Array.isArray(patch) ? "array" : typeof patch;
  throw new PatchRefused(
    400,
    `error decoding patch: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
  );
}

function mergeInto(
  object: Readonly<Record<string, unknown>>,
  patch: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged = new Map(Object.entries(object));
  for (const [name, value] of Object.entries(patch)) {
    const before = merged.get(name);
    if (value === null) merged.delete(name);
    else if (!isRecord(before)) merged.set(name, withoutNulls(value));
    else merged.set(name, isRecord(value) ? mergeInto(before, value) : value);
  }
  return Object.fromEntries(merged);
}

/** The value without fields that are null, at any depth: there is nothing that they could remove. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]));
}
