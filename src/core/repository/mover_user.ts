import type { SecurityContext } from "kubernetes-types/core/v1.d.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { Owner } from "../../wire/snapshot.ts";
import { privilegeForbidden } from "../consent/privileges.ts";
import type { Problem } from "../reconcile/problem.ts";
import { problemOf } from "../reconcile/violation.ts";
import type { InheritedSecurity } from "../work/mover_security.ts";
import type { MoverSettings } from "../work/mover_settings.ts";
import type { MoverSpec } from "../work/mover_spec.ts";

export interface MoverSecurityRequest {
  readonly mover: Partial<MoverSpec>;
  /** Where the mover runs. */
  readonly namespace: string;
  /** That namespace lets movers have privileges. */
  readonly consent: boolean;
  /** With which it would. */
  readonly annotation: string;
  /** Run as this user where nobody else is named, and a pod may: not as root, nor beyond what Kubernetes counts to. */
  readonly runAs?: Owner | undefined;
  /**
   * What was found where the settings want a workload's security context; or why nothing was. Default: nothing is looked
   * for, such as by a mover that only connects.
   */
  readonly inherited?: Result<InheritedSecurity, Problem> | undefined;
}

type MoverSecurity = Pick<MoverSettings, "securityContext" | "podSecurityContext">;

const NOBODY = 65534;

/** The API server refuses pods of users and groups beyond. */
const LAST_USER = 2 ** 31 - 1;

/** What it takes to read every file, and to give each its owner, mode and attributes back. */
export const PRIVILEGED: SecurityContext = {
  runAsUser: 0,
  runAsGroup: 0,
  runAsNonRoot: false,
  capabilities: { drop: ["ALL"], add: ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "MKNOD", "SETFCAP"] },
};

export const NOTHING_INHERITED: InheritedSecurity = { podSecurityContext: {}, securityContext: {} };

/** As whom a mover runs; or why it may not. */
export function moverSecurity(request: MoverSecurityRequest): Result<MoverSecurity, Problem> {
  const { mover, namespace, consent, annotation, runAs } = request;
  const { privilegedMode = false, securityContext: own, supplementalGroups = [] } = mover;
  const inherited = inheritedBy(request);
  if (!inherited.ok) return inherited;
  const { podSecurityContext, securityContext: taken } = inherited.value;
  const securityContext: SecurityContext = {
    ...(privilegedMode ? PRIVILEGED : unprivileged(isNamed(taken) || isNamed(own) ? undefined : runAs)),
    ...taken,
    ...(own as SecurityContext | undefined),
  };
  const wanted = { privilegedMode, securityContext: { ...securityContext } };
  const forbidden = consent ? undefined : privilegeForbidden(wanted, { namespace, annotation });
  if (forbidden) return err(problemOf(forbidden));
  const groups = new Set([...supplementalGroups, ...(podSecurityContext.supplementalGroups ?? [])]);
  return ok({
    securityContext,
    ...(groups.size > 0 ? { podSecurityContext: { supplementalGroups: [...groups] } } : {}),
  });
}

/** Root needs nobody's identity; a mover without a workload to look for goes on by itself. */
function inheritedBy({
  mover,
  inherited = ok(NOTHING_INHERITED),
}: MoverSecurityRequest): Result<InheritedSecurity, Problem> {
  return mover.inheritSecurityContextFrom && !mover.privilegedMode ? inherited : ok(NOTHING_INHERITED);
}

/** Whether the settings say as whom a mover runs. */
export function namesUser({
  privilegedMode,
  securityContext,
  inheritSecurityContextFrom,
}: Partial<MoverSpec>): boolean {
  return privilegedMode === true || inheritSecurityContextFrom !== undefined || isNamed(securityContext);
}

/** Whether a mover without privileges can run as this user. */
export function canBe({ uid, gid }: Owner): boolean {
  return uid !== 0 && Math.max(uid, gid) <= LAST_USER;
}

function isNamed(context: SecurityContext | undefined): boolean {
  return context?.runAsUser !== undefined;
}

function unprivileged(runAs: Owner | undefined): SecurityContext {
  const { uid, gid } = runAs && canBe(runAs) ? runAs : { uid: NOBODY, gid: NOBODY };
  return { runAsUser: uid, runAsGroup: gid, runAsNonRoot: true };
}
