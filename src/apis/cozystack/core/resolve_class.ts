import { type Problem, waits } from "../../../core/reconcile/problem.ts";
import { problemOf, type Violation } from "../../../core/reconcile/violation.ts";
import type { BackupClass } from "../../../kinds/cozystack/generated/backup_class.ts";
import type { BackupJob } from "../../../kinds/cozystack/generated/backup_job.ts";
import { APPLICATION_GROUP, STRATEGY_GROUP } from "../../../kinds/cozystack/group.ts";
import { LABELS } from "../../../kinds/cozystack/labels.ts";
import { labelValue } from "../../../lib/names.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { someOf } from "../../../lib/some_of.ts";

export type ApplicationRef = BackupJob["spec"]["applicationRef"];
export type ApplicationType = Pick<ApplicationRef, "apiGroup" | "kind">;
type ClassStrategy = BackupClass["spec"]["strategies"][number];
export type StrategyRef = ClassStrategy["strategyRef"];

/** An application with its group said. */
export type NamedApplication = Required<ApplicationRef>;

export function withGroup(ref: ApplicationRef): NamedApplication {
  return { ...ref, apiGroup: ref.apiGroup || APPLICATION_GROUP };
}

/** What belongs to an application can be selected by these. */
export function applicationLabels(ref: ApplicationRef): Readonly<Record<string, string>> {
  const { apiGroup, kind, name } = withGroup(ref);
  return {
    [LABELS.application]: labelValue(name),
    [LABELS.applicationKind]: labelValue(kind),
    [LABELS.applicationGroup]: labelValue(apiGroup),
  };
}

export function strategyWithGroup(ref: StrategyRef): Required<StrategyRef> {
  return { ...ref, apiGroup: ref.apiGroup || STRATEGY_GROUP };
}

/** A type of application, as messages name it. */
export function typeText({ apiGroup, kind }: ApplicationType): string {
  return `${kind} of ${apiGroup || APPLICATION_GROUP}`;
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
  const match = matchOf(applicationRef, found);
  if (!match) return err(problemOf(noMatch(applicationRef, found)));
  return ok({ strategyRef: strategyWithGroup(match.strategyRef), parameters: match.parameters ?? {} });
}

/** The first strategy for this type of application. */
function matchOf(type: ApplicationType, { spec }: BackupClass): ClassStrategy | undefined {
  return spec.strategies.find(({ application }) => typeText(application) === typeText(type));
}

function noMatch(type: ApplicationType, { metadata, spec }: BackupClass): Violation {
  const types = someOf(
    spec.strategies.map(({ application }) => typeText(application)),
    5,
  );
  return {
    reason: "NoMatchingStrategy",
    field: "spec.backupClassName",
    what: `BackupClass ${metadata.name} has no strategy for ${typeText(type)}`,
    why: `its strategies are for ${types}`,
    fix: "Add one to its strategies, or choose another class",
  };
}

/** Why a class is not for this type of application; nothing where it is. */
export function classViolation(type: ApplicationType, found: BackupClass): Violation | undefined {
  return matchOf(type, found) ? undefined : noMatch(type, found);
}
