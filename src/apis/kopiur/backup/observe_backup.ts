import type { BackupRequest } from "../../../core/backup/backup.ts";
import { isCancelled } from "../../../core/backup/backup_annotations.ts";
import type { ObservedBackup } from "../../../core/backup/decide_backup.ts";
import { namedRuns } from "../../../core/backup/named_runs.ts";
import { type BackupLookup, observeBackup as observeRun } from "../../../core/backup/observe_backup.ts";
import { startingOver } from "../../../core/backup/replan.ts";
import { isDoubted } from "../../../core/catalog/absence.ts";
import { SAFETY_TAG } from "../../../core/catalog/passed_over.ts";
import { writable } from "../../../core/repository/read_only.ts";
import { halfWritten } from "../../../core/volumes/half_written.ts";
import { SNAPSHOT_CLEANUP } from "../../../kinds/kopiur/finalizers.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { ObjectKey } from "../../../kube/object.ts";
import { ok } from "../../../lib/result.ts";
import { BY_CLAIM, BY_RECIPE, type KopiurCaches } from "../caches.ts";
import type { KopiurPorts } from "../ports.ts";
import { useRepository } from "../repository_use.ts";
import { runContextOf } from "../run_context.ts";
import { backupLabels } from "./backup_labels.ts";
import { isWriting } from "./being_restored.ts";
import { lateView } from "./late_view.ts";
import { backupObject, type ConfigPlan, configKey, ownerOf, planOf } from "./plan.ts";
import { resolveAgain, resolvePlan } from "./resolve_plan.ts";
import { withdrawnReach } from "./withdrawn_reach.ts";

export interface ObserveOptions {
  readonly signal: AbortSignal;
  /** The Backup is to end, whatever its annotations say. Default false. */
  readonly cancel?: boolean;
}

/** Looks at a Backup, its BackupConfig and its run. */
export async function observeBackup(
  ports: KopiurPorts,
  backup: Backup,
  options: ObserveOptions,
): Promise<ObservedBackup> {
  const now = ports.clock.now();
  const before = planOf(backup.status);
  const cancelled = options.cancel || isCancelled(backup);
  const again = before && !cancelled ? await resolveAgain(ports, backup, before, options.signal) : undefined;
  const plan = again ? ok(again) : before ? ok(before) : resolvePlan(ports, backup);
  if (!plan.ok) return { backup: backupObject(backup), request: plan, now };
  const asked = requestOf(backup, plan.value);
  const request = again ? { ...asked, owner: startingOver(asked.owner) } : asked;
  const lookup = lookupOf(ports, backup, plan.value, options.signal);
  const run = await observeRun(ports, request, { lookup, cancelled }, options.signal);
  return { backup: request.owner.object, ...run, now };
}

/** What a Backup asks for. How often and how long it is tried may be edited, and wins over its plan. */
export function requestOf(backup: Backup, plan: ConfigPlan): BackupRequest {
  const { tags, parameters, failurePolicy, configRef } = backup.spec;
  return {
    owner: ownerOf(backup),
    plan,
    tags,
    compressor: parameters?.compressionOverride,
    failurePolicy: { ...plan.settings.failurePolicy, ...failurePolicy },
    tenant: configRef?.name ?? "",
    hold: { finalizer: SNAPSHOT_CLEANUP, labels: backupLabels(backup, plan) },
  };
}

function lookupOf(ports: KopiurPorts, backup: Backup, plan: ConfigPlan, signal: AbortSignal): BackupLookup {
  const { caches } = ports;
  const { namespace = "" } = backup.metadata;
  const key = configKey(backup);
  const config = caches.configs.get(key);
  const { repository, ready } = useRepository(ports, plan.repository, { namespace, witnesses: [config] });
  return {
    ready: writable(ready, "backup"),
    context: repository && (() => runContextOf(ports, repository, namespace, signal)),
    withdrawn: withdrawnReach(ports, backup, config),
    writerOf: (claim) => caches.restores.indexed(BY_CLAIM, claim).find(isWriting),
    // What is made before a restore is never taken for a good one.
    ...(backup.spec.tags?.[SAFETY_TAG] === undefined && { halfWritten: leftHalfWritten(caches) }),
    namedRuns: () => keptRuns(caches.backups.indexed(BY_RECIPE, key), plan),
    late: (found) => lateView({ caches, backup, plan, repository: found }),
  };
}

function leftHalfWritten({ claims }: Pick<KopiurCaches, "claims">) {
  return (key: string) => {
    const claim = claims.get(key as ObjectKey);
    return claim && halfWritten(claim);
  };
}

/** The runs that Backups of the same BackupConfig name, as far as the repository surely holds their snapshots. */
export function keptRuns(backups: readonly Backup[], plan: ConfigPlan): readonly string[] {
  return namedRuns(backups.filter((one) => !isDoubted(one)).map(backupObject), plan);
}
