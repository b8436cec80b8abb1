import { type Problem, refused, waits } from "../../../core/reconcile/problem.ts";
import type { BackupClass } from "../../../kinds/cozystack/generated/backup_class.ts";
import type { BackupJob } from "../../../kinds/cozystack/generated/backup_job.ts";
import { APPLICATION_GROUP, STRATEGY_GROUP } from "../../../kinds/cozystack/group.ts";
import { err, ok, type Result } from "../../../lib/result.ts";

export type ApplicationRef = BackupJob["spec"]["applicationRef"];
export type StrategyRef = BackupClass["spec"]["strategies"][number]["strategyRef"];

/** An application with its group said. */
export type NamedApplication = Required<ApplicationRef>;

export function withGroup(ref: ApplicationRef): NamedApplication {
  return { ...ref, apiGroup: ref.apiGroup || APPLICATION_GROUP };
}

export function strategyWithGroup(ref: StrategyRef): Required<StrategyRef> {
  return { ...ref, apiGroup: ref.apiGroup || STRATEGY_GROUP };
}

/** How an application is backed up. */
export interface Resolved {
  readonly strategyRef: Required<StrategyRef>;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * The first strategy of the class for this type of application. A class that does not exist is waited for, as manifests
 * come in any order; one that has no such strategy is the administrator's decision.
 */
export function resolveClass(
  applicationRef: ApplicationRef,
  backupClassName: string,
  found: BackupClass | undefined,
): Result<Resolved, Problem> {
  if (!found || found.metadata.deletionTimestamp) {
    return err(
      waits(
        "BackupClassNotFound",
        `BackupClass ${backupClassName} does not exist. Create it, or correct backupClassName.`,
      ),
    );
  }
  const { apiGroup, kind } = withGroup(applicationRef);
  const match = found.spec.strategies.find(
    ({ application }) =>
      (application.apiGroup || APPLICATION_GROUP) === apiGroup && application.kind === kind,
  );
  if (!match) {
    return err(
      refused(
        "NoMatchingStrategy",
        `BackupClass ${backupClassName} has no strategy for ${kind} of ${apiGroup}. Add one to its strategies, or choose another class.`,
      ),
    );
  }
  return ok({ strategyRef: strategyWithGroup(match.strategyRef), parameters: match.parameters ?? {} });
}
