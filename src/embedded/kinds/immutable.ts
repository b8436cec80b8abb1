import { invalid, type Problem } from "../../kube/schema/problem.ts";
import { jsonEqual } from "../../lib/json.ts";
import type { Fields } from "./fields.ts";

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
