import type { Violation } from "../../../core/reconcile/violation.ts";
import { selectorViolations } from "../../../core/rules/selector_violations.ts";
import { cronViolations } from "../../../core/schedule/cron_violations.ts";
import type { BackupConfig } from "../../../kinds/autorestore/generated/backup_config.ts";
import { repositoryViolations } from "../repository/repository_violations.ts";
import type { Target } from "./claiming.ts";
import { keepsNothing } from "./surplus.ts";

/** What is wrong with a BackupConfig: the webhook refuses it, and the controller shows it. */
export function configViolations({ spec }: Pick<BackupConfig, "spec">): readonly Violation[] {
  return [
    ...spec.selectors.flatMap(({ labelSelector = {} }, index) =>
      selectorViolations(labelSelector, `spec.selectors[${index}].labelSelector`),
    ),
    ...spec.backupTargets.flatMap((target, index) =>
      targetViolations(target, `spec.backupTargets[${index}]`),
    ),
  ];
}

function targetViolations(target: Target, at: string): readonly Violation[] {
  const { schedule, backupSchedule, retentionSchedule, retention, repository } = target;
  const crons = Object.entries({ schedule, backupSchedule, retentionSchedule }).flatMap(([field, cron]) =>
    cron === undefined ? [] : [{ cron, field: `${at}.${field}` }],
  );
  return [
    ...cronViolations(crons, "UTC", at),
    ...(retention && keepsNothing(retention) ? [noRule(at)] : []),
    ...(repository.name === undefined ? repositoryViolations(repository, `${at}.repository`) : []),
  ];
}

function noRule(at: string): Violation {
  return {
    reason: "RetentionEmpty",
    field: `${at}.retention`,
    what: "the retention keeps no snapshot",
    why: "none of keepLast, keepHourly, keepDaily, keepWeekly, keepMonthly, keepYearly and keepWithin is more than zero",
    fix: "Set one of them, or leave retention out to keep all snapshots",
  };
}
