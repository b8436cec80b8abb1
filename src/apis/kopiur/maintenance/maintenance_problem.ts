import { type Problem, waits } from "../../../core/reconcile/problem.ts";
import { problemOf } from "../../../core/reconcile/violation.ts";
import { readOnlyViolation } from "../../../core/repository/read_only.ts";
import { cronViolations } from "../../../core/schedule/cron_violations.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import { repositoryText } from "../references.ts";
import type { RepositoryUse } from "../repository_use.ts";
import { foreignMaintenance, givesWay } from "../rules/other_maintenance.ts";

export interface RulesAround {
  /** Those that may maintain the repository; itself may be among them. */
  readonly entitled: readonly Maintenance[];
  readonly operatorNamespace: string;
}

/** What the door would have refused, had it been there: nothing may run. */
export function brokenRule(
  maintenance: Maintenance,
  { entitled, operatorNamespace }: RulesAround,
): Problem | undefined {
  const { quick, full, timezone } = maintenance.spec.schedule;
  const times = [
    { ...quick, field: "spec.schedule.quick.cron" },
    { ...full, field: "spec.schedule.full.cron" },
  ];
  const violation =
    foreignMaintenance(maintenance, operatorNamespace) ??
    givesWay(maintenance, entitled) ??
    cronViolations(times, timezone, "spec.schedule")[0];
  return violation && problemOf(violation);
}

/** Why the repository cannot be maintained now. It need not be ready: maintenance may be what it needs. */
export function unusable(use: RepositoryUse, home: boolean): Problem | undefined {
  const { key, repository } = use;
  const problem = forbidden(use, home);
  if (problem) return problem;
  const readOnly = repository && readOnlyViolation(repository, "maintenance", "spec.repository");
  if (readOnly) return problemOf(readOnly);
  if (repository?.status?.uniqueID) return undefined;
  return waits("RepositoryNotReady", `${repositoryText(key)} has not answered yet, so it is not known.`);
}

/**
 * Why it may not be used. `home`: whoever may use a ClusterRepository, it is maintained from the operator's namespace.
 */
export function forbidden({ repository, permitted }: RepositoryUse, home: boolean): Problem | undefined {
  const mine = home && repository !== undefined && repository.metadata.namespace === undefined;
  return permitted.ok || (mine && !repository.metadata.deletionTimestamp) ? undefined : permitted.error;
}
