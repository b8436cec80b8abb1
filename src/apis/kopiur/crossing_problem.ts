import type { KubeObject } from "../../kube/object.ts";
import type { Crossings } from "./admission/crossings.ts";
import { crossed } from "./admission/references.ts";
import type { KopiurPorts } from "./ports.ts";
import type { Problem } from "./problem.ts";
import { withConsents } from "./rules/consents.ts";
import { problemOf } from "./rules/violation.ts";

/**
 * Why an object may not refer into another namespace, where nobody there consents: admission's rule, run again, since
 * the object may have come in while no webhook was there. Then a consent that is written on it counts for nothing.
 */
export function crossingProblem<T extends KubeObject>(
  { lookup, settings }: Pick<KopiurPorts, "lookup" | "settings">,
  object: T,
  crossings: Crossings<T>,
): Problem | undefined {
  const written = settings.guarded ? object : withConsents(object, []);
  const findings = crossed(written, crossings(object, lookup), lookup);
  const refused = findings.flatMap((finding) => ("refuse" in finding ? [finding.refuse] : []))[0];
  return refused && problemOf(refused);
}
