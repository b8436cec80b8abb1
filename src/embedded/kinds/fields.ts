import { invalid, type Problem } from "../../kube/schema/problem.ts";
import { isRecord, jsonEqual } from "../../lib/json.ts";

/** Part of an object, read without trust in its shape. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object; nothing when it is none. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** The objects of a list; nothing when it is none. */
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

/** The text, or an empty one for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The object with these fields changed where it has them. */
export function change<T extends Fields>(
  object: T,
  changes: Readonly<Record<string, (value: unknown) => unknown>>,
): T {
  const changed = Object.entries(changes)
    .filter(([name]) => object[name] !== undefined)
    .map(([name, to]) => [name, to(object[name])]);
  return { ...object, ...Object.fromEntries(changed) };
}

/** A change of every item of a list. */
export function each(to: (item: Fields) => unknown): (value: unknown) => unknown {
  return (value) => (Array.isArray(value) ? value.map((item) => to(fieldsOf(item))) : value);
}

/** The fields of a part of an object that an update changed and may not. */
export function checkImmutable(
  names: readonly string[],
  part: Fields,
  old: Fields,
  path = "",
): readonly Problem[] {
  return names
    .filter((name) => !jsonEqual(part[name], old[name]))
    .map((name) => invalid(`${path}${name}`, part[name] ?? null, "field is immutable"));
}
