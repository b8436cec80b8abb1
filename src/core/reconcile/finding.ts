import type { Found } from "../../kube/cache/found.ts";
import { type KubeObject, keyOf, type ObjectName } from "../../kube/object.ts";
import type { Violation } from "./violation.ts";

/** What a check of an object finds: a rule that is broken, or something that is good to know. */
export type Finding = { readonly refuse: Violation } | { readonly warn: string };

export function refuseAll(violations: readonly (Violation | undefined)[]): readonly Finding[] {
  return violations.flatMap((violation) => (violation ? [{ refuse: violation }] : []));
}

/** What is to be said of an object that is referred to: nothing, or that it is waited for. */
export function presence(
  found: Found<KubeObject>,
  { field, kind, name }: { readonly field: string; readonly kind: string; readonly name: ObjectName },
): readonly Finding[] {
  const target = `${kind} ${keyOf(name)}`;
  if (found === "absent") return [{ warn: `${field}: ${target} does not exist yet, and is waited for` }];
  if (found === "unknown") {
    return [{ warn: `${field}: ${target} could not be looked up; the operator checks it later` }];
  }
  if (!found.metadata.deletionTimestamp) return [];
  return [{ warn: `${field}: ${target} is being deleted` }];
}
