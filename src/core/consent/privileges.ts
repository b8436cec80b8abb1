import type { SecurityContext } from "kubernetes-types/core/v1.d.ts";
import { groupOf, type KubeObject } from "../../kube/object.ts";
import type { Violation } from "../reconcile/violation.ts";
import type { MoverSpec } from "../work/mover_spec.ts";

/** With which a namespace lets the movers of an API have privileges: that of the repository's. */
export function privilegeAnnotation(repository: KubeObject): string {
  return `${groupOf(repository)}/allow-privileged-movers`;
}

/** Whether a namespace lets movers have privileges. */
export function allowsPrivileges(
  namespace: Pick<KubeObject, "metadata"> | undefined,
  annotation: string,
): boolean {
  return namespace?.metadata.annotations?.[annotation] === "true";
}

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

export interface PrivilegeRequest {
  readonly namespace: string;
  /** With which the namespace would consent. */
  readonly annotation: string;
  /** Where the mover's settings stand. Default `mover`. */
  readonly at?: string;
}

/** A mover with privileges in a namespace that did not consent. */
export function privilegeForbidden(
  mover: Partial<MoverSpec> | undefined,
  { namespace, annotation, at = "mover" }: PrivilegeRequest,
): Violation | undefined {
  const setting = privilegeOf(mover);
  if (setting === undefined) return undefined;
  return {
    reason: "PrivilegedMoverForbidden",
    field: `${at}.${setting}`,
    forbidden: true,
    what: `movers cannot have privileges in namespace ${namespace}`,
    why: "the namespace does not consent to it",
    fix: `Annotate the namespace with ${annotation}=true, or leave ${setting} out`,
  };
}
