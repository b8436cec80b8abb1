import { crossingProblem as problemWith } from "../../core/consent/crossing.ts";
import type { Problem } from "../../core/reconcile/problem.ts";
import type { KubeObject } from "../../kube/object.ts";
import { consentRules } from "./admission/consent_rules.ts";
import type { Crossings } from "./admission/crossings.ts";
import type { KopiurPorts } from "./ports.ts";

/** Why an object may not refer into another namespace, where nobody there consents. */
export function crossingProblem<T extends KubeObject>(
  { lookup, settings }: Pick<KopiurPorts, "lookup" | "settings">,
  object: T,
  crossings: Crossings<T>,
): Problem | undefined {
  const { guarded = false } = settings;
  return problemWith(object, crossings(object, lookup), { rules: consentRules(lookup), guarded });
}
