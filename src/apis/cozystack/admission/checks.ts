import { crossed } from "../../../core/consent/crossing.ts";
import { templateProblems } from "../../../core/policy/template_problems.ts";
import { type Finding, presence, refuseAll } from "../../../core/reconcile/finding.ts";
import type { Violation } from "../../../core/reconcile/violation.ts";
import { forgedDeletionMark } from "../../../core/rules/deletion_mark.ts";
import { cronViolations } from "../../../core/schedule/cron_violations.ts";
import type { Backup } from "../../../kinds/cozystack/generated/backup.ts";
import type { BackupClass } from "../../../kinds/cozystack/generated/backup_class.ts";
import type { BackupJob } from "../../../kinds/cozystack/generated/backup_job.ts";
import type { Job } from "../../../kinds/cozystack/generated/job.ts";
import type { Plan } from "../../../kinds/cozystack/generated/plan.ts";
import type { RestoreJob } from "../../../kinds/cozystack/generated/restore_job.ts";
import type { Velero } from "../../../kinds/cozystack/generated/velero.ts";
import type { Volume } from "../../../kinds/cozystack/generated/volume.ts";
import { isPresent } from "../../../kube/cache/found.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { jsonEqual } from "../../../lib/json.ts";
import { lendingCrossings, lendingRules } from "../core/lending_consent.ts";
import { classViolation, strategyWithGroup, typeText } from "../core/resolve_class.ts";
import { elsewhereViolation, restoreCrossings, restoreRules } from "../core/restore_consent.ts";
import { canRestore } from "../drivers/job/can_restore.ts";
import type { Check, Lookup } from "./lookup.ts";

/** A Plan may come before its class, and outlives changes of it: what is wrong there is good to know, no more. */
export const checkPlan: Check<Plan> = ({ object: { spec } }, { lookup }) => {
  const { cron = "", timezone } = spec.schedule;
  const times = [{ cron, field: "spec.schedule.cron" }];
  return [
    ...refuseAll(cronViolations(times, timezone, "spec.schedule")),
    ...classOf(spec, lookup).map((finding) => ("refuse" in finding ? warningOf(finding.refuse) : finding)),
  ];
};

/** A job by hand would fail at once. Those of a Plan are let in, so that their failure can be seen. */
export const checkBackupJob: Check<BackupJob> = ({ object, old }, { lookup, isOperator }) => {
  const { metadata, spec } = object;
  const { planRef } = spec;
  const name = { namespace: metadata.namespace, name: planRef?.name ?? "" };
  return [
    ...refuseAll([changed(object, old, ["planRef", "applicationRef", "backupClassName"])]),
    ...(old || isOperator ? [] : classOf(spec, lookup)),
    ...(old || !planRef ? [] : presence(lookup.plan(name), { field: "spec.planRef", kind: "Plan", name })),
  ];
};

export const checkBackup: Check<Backup> = ({ object, old }, { isOperator }) =>
  refuseAll([
    changed(object, old, ["applicationRef", "strategyRef", "takenAt"]),
    changed(object, old, old?.spec.planRef ? ["planRef"] : []),
    changed(object, old, old?.spec.driverMetadata ? ["driverMetadata"] : []),
    isOperator ? undefined : forgedDeletionMark(object, old),
  ]);

export const checkRestoreJob: Check<RestoreJob> = ({ object, old }, { lookup }) => {
  const { metadata, spec } = object;
  const name = { namespace: metadata.namespace, name: spec.backupRef.name };
  const field = "spec.backupRef";
  const found = lookup.backup(name);
  const failed = isPresent(found) && found.status?.phase === "Failed";
  return [
    ...refuseAll([changed(object, old, ["backupRef", "targetApplicationRef", "targetNamespace"])]),
    ...crossed(object, restoreCrossings(object), restoreRules(lookup)),
    ...(old ? [] : presence(found, { field, kind: "Backup", name })),
    ...(!old && isPresent(found) ? refuseAll([elsewhereViolation(object, found)]) : []),
    ...(failed ? [{ warn: `${field}: Backup ${name.name} failed: there is nothing to restore` }] : []),
  ];
};

export const checkClass: Check<BackupClass> = ({ object: { spec } }, { lookup }) => {
  const seen = new Map<string, number>();
  return spec.strategies.flatMap(({ application, strategyRef }, index): readonly Finding[] => {
    const type = typeText(application);
    const first = seen.get(type);
    const at = `spec.strategies[${index}]`;
    if (first !== undefined) {
      return [{ warn: `${at}: spec.strategies[${first}] is for ${type}, too, and comes first` }];
    }
    seen.set(type, index);
    const found = lookup.strategy(strategyRef);
    const { kind, name } = strategyWithGroup(strategyRef);
    if (found !== "foreign") return presence(found, { field: `${at}.strategyRef`, kind, name: { name } });
    return [];
  });
};

export const checkJobStrategy: Check<Job> = ({ object }, { lookup }) => {
  const { spec } = object;
  const { template, restoreTemplate, deleteTemplate, artifact } = spec;
  const warning = `spec.restoreTemplate: without it, and with a template that does not name .Mode, Backups cannot be restored`;
  return [
    ...unusable({ template, restoreTemplate, deleteTemplate, artifact }),
    ...crossed(object, lendingCrossings(object), lendingRules(lookup)),
    ...(canRestore(spec) ? [] : [{ warn: warning }]),
  ];
};

export const checkVelero: Check<Velero> = ({ object: { spec } }) => {
  const { backupTemplate, restoreTemplate } = spec;
  return unusable({ backupTemplate, restoreTemplate });
};

export const checkVolume: Check<Volume> = ({ object: { spec } }) => unusable({ volumes: spec.volumes });

function classOf(spec: Plan["spec"] | BackupJob["spec"], lookup: Lookup): readonly Finding[] {
  const { backupClassName: name, applicationRef } = spec;
  const found = lookup.backupClass(name);
  return [
    ...presence(found, { field: "spec.backupClassName", kind: "BackupClass", name: { name } }),
    ...(isPresent(found) ? refuseAll([classViolation(applicationRef, found)]) : []),
  ];
}

function warningOf({ field, what, why }: Violation): Finding {
  return { warn: `${field}: ${what}: ${why}` };
}

/** Templates that fail with any application. */
function unusable(fields: Readonly<Record<string, unknown>>): readonly Finding[] {
  return refuseAll(
    templateProblems(fields, "spec").map(({ path, error }) => ({
      reason: "InvalidTemplate",
      field: path,
      what: "the template cannot be rendered",
      why: error,
      fix: "Correct it",
    })),
  );
}

/** What a job was made for does not change. The schemas say so too, where they are ours. */
function changed<T extends KubeObject & { readonly spec: object }>(
  object: T,
  old: T | undefined,
  fields: readonly (keyof T["spec"] & string)[],
): Violation | undefined {
  const value = ({ spec }: T, field: string) => (spec as Readonly<Record<string, unknown>>)[field];
  const field = old && fields.find((name) => !jsonEqual(value(object, name), value(old, name)));
  return field === undefined
    ? undefined
    : {
        reason: "SpecImmutable",
        field: `spec.${field}`,
        what: `${field} of a ${object.kind} cannot be changed`,
        why: "drivers may have begun to work by it",
        fix: `Create another ${object.kind}`,
      };
}
