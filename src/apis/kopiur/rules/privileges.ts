import type { SecurityContext } from "kubernetes-types/core/v1.d.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { MoverSpec } from "../../../kinds/kopiur/parts.ts";
import type { Violation } from "./violation.ts";

/** Which setting makes a mover more than an ordinary program; none, if nothing does. */
export function privilegeOf(mover: Partial<MoverSpec> | undefined): string | undefined {
  if (mover?.privilegedMode) return "privilegedMode";
  const context = mover?.securityContext as SecurityContext | undefined;
  if (context?.privileged) return "securityContext.privileged";
  if (context?.runAsUser === 0) return "securityContext.runAsUser";
  if (context?.allowPrivilegeEscalation) return "securityContext.allowPrivilegeEscalation";
  if (context?.capabilities?.add?.length) return "securityContext.capabilities.add";
  return undefined;
}

/** A mover with privileges in a namespace that did not consent. `at` is where the mover's settings stand. */
export function privilegeForbidden(
  mover: Partial<MoverSpec> | undefined,
  namespace: string,
  at = "spec.mover",
): Violation | undefined {
  const setting = privilegeOf(mover);
  if (setting === undefined) return undefined;
  return {
    reason: "PrivilegedMoverForbidden",
    field: `${at}.${setting}`,
    forbidden: true,
    what: `movers cannot have privileges in namespace ${namespace}`,
    why: "the namespace does not consent to it",
    fix: `Annotate the namespace with ${ANNOTATIONS.allowPrivilegedMovers}=true, or leave ${setting} out`,
  };
}
