import { conditionsFor, type ReadyState } from "../../../core/reconcile/ready_state.ts";
import { recordsOf } from "../../../core/reconcile/records.ts";
import { problemOf } from "../../../core/reconcile/violation.ts";
import { volumePauseText } from "../../../core/retention/volume_pause.ts";
import { ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import type { BackupConfig, BackupConfigStatus } from "../../../kinds/autorestore/generated/backup_config.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { defined } from "../../../lib/defined.ts";
import { someOf } from "../../../lib/some_of.ts";
import { unsettled, unsettledText } from "../restore/core_restore.ts";
import { repositoryName, takenNames } from "./claiming.ts";
import { configViolations } from "./config_violations.ts";
import type { ObservedConfig, TargetDecision } from "./observed_config.ts";
import { backupCron, retentionKey, slotKey } from "./target_slots.ts";

const SHRINK_WORDS = { kind: "ResticBackup", annotation: ANNOTATIONS.acknowledgeShrink };
/** As many PVCs as a status names. */
const MOST_NAMED = 100;

export function configStatus(
  { config, claims, backups, restores, now }: ObservedConfig,
  targets: readonly TargetDecision[],
  readyState: ReadyState,
): BackupConfigStatus {
  const managed = claims.managed.map(keyOf).toSorted();
  const pruned = prunedAfter(config, targets);
  const memories = targets.flatMap(({ target, slot, retention }) => [
    ...(slot.memory ? [[slotKey(target.name), slot.memory] as const] : []),
    ...(retention.memory ? [[retentionKey(target.name), retention.memory] as const] : []),
  ]);
  const shown = targets.map((one) => targetStatus(config, one));
  const checks = [config.status?.lastRetentionCheck, ...shown.map(({ lastRetention }) => lastRetention)];
  const lastRetentionCheck = checks
    .flatMap((one) => one ?? [])
    .sort()
    .at(-1);
  const going = new Set(targets.flatMap(({ surplus }) => surplus));
  const { successful, failed, ...open } = jobsOf(
    backups.filter((one) => !going.has(one) && !one.metadata.deletionTimestamp),
  );
  return {
    ...defined({ observedGeneration: config.metadata.generation, lastRetentionCheck }),
    managedPVCs: managed.slice(0, MOST_NAMED),
    pvcCount: managed.length,
    targetCount: targets.length,
    targets: shown,
    backupJobs: { ...open, successful: successful + pruned.successful, failed: failed + pruned.failed },
    restoreJobs: jobsOf(restores),
    work: { ...Object.fromEntries(memories), [PRUNED]: pruned } as Record<string, unknown>,
    conditions: conditionsFor(config, readyState, [], now),
  } as BackupConfigStatus;
}

function targetStatus(config: BackupConfig, { target, slot, retention, retainedAt }: TargetDecision) {
  const before = config.status?.targets?.find(({ name }) => name === target.name);
  const lastBackup = slot.due === undefined ? before?.lastBackup : timestamp(slot.due);
  const lastRetention = retainedAt === undefined ? before?.lastRetention : timestamp(retainedAt);
  const problem = slot.problem ?? retention.problem;
  const schedule = backupCron(target);
  return {
    name: target.name,
    repository: repositoryName(config, target),
    ...(slot.next === undefined ? {} : { nextBackup: timestamp(slot.next) }),
    ...defined({ lastBackup, lastRetention, schedule, problem }),
  };
}

type Counts = Readonly<Record<"successful" | "failed", number>>;

const PRUNED = "pruned";

/** Backups that retention has deleted still count in the totals. */
function prunedAfter({ status }: BackupConfig, targets: readonly TargetDecision[]): Counts {
  const before = recordsOf(status)[PRUNED] as Counts | undefined;
  const { successful, failed } = jobsOf(targets.flatMap(({ surplus }) => surplus));
  return { successful: (before?.successful ?? 0) + successful, failed: (before?.failed ?? 0) + failed };
}

function jobsOf(objects: readonly (KubeObject & { readonly status?: { readonly phase?: string } })[]) {
  const count = (phase: string) =>
    objects.filter(({ status }) => (status?.phase ?? "Pending") === phase).length;
  return {
    successful: count("Completed"),
    running: count("Running"),
    pending: count("Pending"),
    failed: count("Failed"),
  };
}

/** Whether the BackupConfig does what it should, and what is in the way of the most. */
export function configReadyState(
  { config, claims, repository, restoresInto }: ObservedConfig,
  targets: readonly TargetDecision[],
): ReadyState {
  const [violation] = configViolations(config);
  if (violation) {
    const { reason, message } = problemOf(violation);
    return { state: "stalled", reason, message: `${violation.field}: ${message}` };
  }
  const taken = takenNames(config, repository);
  if (taken.length > 0) {
    const message = `ResticRepository ${someOf(taken)} exists already, and was not made for this BackupConfig. The operator makes no backup in it and restores no PVC until you rename the target, or name the ResticRepository in its repository.name to share it.`;
    return { state: "stalled", reason: "RepositoryNameTaken", message };
  }
  if (claims.forbidden.length > 0) {
    const { namespace } = config.metadata;
    const message = `It selects PVCs in ${someOf(claims.forbidden)}, and may not. Annotate these namespaces with ${ANNOTATIONS.allowedConfigs}: ${namespace}.`;
    return { state: "reconciling", reason: "NamespaceForbidden", message, warning: true };
  }
  const lacking = claims.managed.flatMap((claim) => {
    const restore = unsettled(restoresInto(keyOf(claim)), claim);
    return restore === undefined ? [] : [unsettledText(keyOf(claim), restore)];
  });
  if (lacking[0] !== undefined) {
    const others = lacking.length > 1 ? ` So it is with ${lacking.length - 1} more.` : "";
    const message = `${lacking[0]}${others}`;
    return { state: "reconciling", reason: "RestoreFailed", message, warning: true };
  }
  const away = targets.flatMap(({ target }) => {
    const name = repositoryName(config, target);
    return repository(name)?.status?.phase === "Ready" ? [] : [name];
  });
  if (away.length > 0) {
    const message = `ResticRepository ${someOf(away)} is not ready. See its status.`;
    return { state: "reconciling", reason: "RepositoryNotReady", message };
  }
  const [pause, ...more] = targets.flatMap(({ pauses }) => pauses);
  if (pause) {
    const others = more.length > 0 ? ` So it is with ${more.length} more.` : "";
    const { reason, message } = volumePauseText(pause, SHRINK_WORDS);
    return { state: "reconciling", reason, message: `${message}${others}`, warning: true };
  }
  const count = claims.managed.length;
  return {
    state: "ready",
    reason: "Managed",
    message: `It manages ${count} ${count === 1 ? "PVC" : "PVCs"}.`,
  };
}
