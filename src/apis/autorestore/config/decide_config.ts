import { conditionsFor, newsOf, type ReadyState } from "../../../core/reconcile/ready_state.ts";
import { recordsOf } from "../../../core/reconcile/records.ts";
import { ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import type { BackupConfig, BackupConfigStatus } from "../../../kinds/autorestore/generated/backup_config.ts";
import type { ResticBackup } from "../../../kinds/autorestore/generated/restic_backup.ts";
import type { ResticRepository } from "../../../kinds/autorestore/generated/restic_repository.ts";
import type { ResticRestore } from "../../../kinds/autorestore/generated/restic_restore.ts";
import { LABELS } from "../../../kinds/autorestore/labels.ts";
import { type Draft, type KubeObject, keyOf, type ObjectKey } from "../../../kube/object.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { labelValue } from "../../../lib/names.ts";
import { someOf } from "../../../lib/some_of.ts";
import { soonest } from "../../../lib/soonest.ts";
import { claimKeyOf, isUnended } from "../caches.ts";
import { decideAutoRestore } from "./auto_restore.ts";
import { type ClaimsDecision, repositoryName, selectorOf, type Target } from "./claiming.ts";
import { manualBackup, repositoryDraft, restoreDraft, scheduledBackup, TRIGGER } from "./drafts.ts";
import { surplusOf } from "./surplus.ts";
import { backupCron, decideSlot, type SlotDecision, type SlotMemory } from "./target_slots.ts";
import { askedRestore, manualName, type Trigger, triggerOf } from "./triggers.ts";

/** What there is of a BackupConfig. */
export interface ObservedConfig {
  readonly config: BackupConfig;
  readonly claims: ClaimsDecision<KubeObject>;
  /** What was made for it. */
  readonly backups: readonly ResticBackup[];
  readonly restores: readonly ResticRestore[];
  repository(name: string): ResticRepository | undefined;
  /** Whether there is a ResticBackup of this key. */
  isBackup(key: ObjectKey): boolean;
  /** Whether what an annotation asks for was made before. */
  isDone(mark: string): boolean;
  readonly now: number;
}

/** What is done, in this order; each may be done again. */
export interface ConfigDecision {
  readonly repositories: readonly Draft<ResticRepository>[];
  readonly claim: readonly KubeObject[];
  readonly release: readonly KubeObject[];
  readonly backups: readonly Draft<ResticBackup>[];
  readonly restores: readonly Draft<ResticRestore>[];
  /** Removed once all of the above is there. */
  readonly triggers: readonly { readonly object: KubeObject; readonly trigger: Trigger }[];
  /** PVCs whose auto-restore is decided. */
  readonly decided: readonly KubeObject[];
  readonly surplus: readonly ResticBackup[];
  readonly status: BackupConfigStatus;
  readonly events: readonly EventNote[];
  readonly wakeAt?: number | undefined;
}

/** What follows for a BackupConfig that is not being deleted. */
export function decideConfig(observed: ObservedConfig): ConfigDecision {
  const { config, claims, now } = observed;
  const { managed } = claims;
  const targets = config.spec.backupTargets.map((target) => decideTarget(observed, target));
  const autos = managed.map((claim) => ({ claim, decision: decideAutoRestore(config, claim, now) }));
  const asked = askedFor(observed);
  const auto = autos.flatMap(({ claim, decision }) =>
    decision.type === "Restore" ? [autoRestore(config, claim)] : [],
  );
  const skipped = autos.flatMap(({ claim, decision }) =>
    decision.type === "Skip"
      ? [
          {
            type: "Normal",
            reason: "AutoRestoreSkipped",
            message: `PersistentVolumeClaim ${keyOf(claim)} is not restored automatically: ${decision.why}. Annotate it with manual-restore to restore it.`,
          } as const,
        ]
      : [],
  );
  const readyState = readyStateOf(observed, targets);
  return {
    repositories: config.spec.backupTargets.flatMap((target) => {
      const draft = repositoryDraft(config, target);
      return draft && !observed.repository(repositoryName(config, target)) ? [draft] : [];
    }),
    claim: claims.free,
    release: claims.released,
    backups: [...targets.flatMap(({ backups }) => backups), ...asked.backups],
    restores: [...auto, ...asked.restores],
    triggers: asked.triggers,
    decided: autos.filter(({ decision }) => decision.type !== "None").map(({ claim }) => claim),
    surplus: targets.flatMap(({ surplus }) => surplus),
    status: statusOf(observed, targets, readyState),
    events: [...newsOf(config, readyState), ...skipped],
    wakeAt: soonest(...targets.flatMap(({ slot, retention }) => [slot.next, retention.next])),
  };
}

interface TargetDecision {
  readonly target: Target;
  readonly slot: SlotDecision;
  readonly retention: SlotDecision;
  readonly backups: readonly Draft<ResticBackup>[];
  readonly surplus: readonly ResticBackup[];
  /** Its retention was applied. */
  readonly applied: boolean;
}

/** What the engine room would call records: how far the schedules of targets have come. */
function memoryOf({ status }: BackupConfig, name: string): SlotMemory | undefined {
  return recordsOf(status)[name] as SlotMemory | undefined;
}

function decideTarget({ config, claims, backups, now }: ObservedConfig, target: Target): TargetDecision {
  const { name } = target;
  const own = backups.filter(({ metadata }) => metadata.labels?.[LABELS.target] === labelValue(name));
  const slot = decideSlot(config, name, backupCron(target), memoryOf(config, slotKey(name)), now);
  const retention = decideSlot(
    config,
    `${name}/retention`,
    target.retentionSchedule,
    memoryOf(config, retentionKey(name)),
    now,
  );
  const busy = new Set(own.filter(isUnended).map(claimKeyOf));
  const { due } = slot;
  const idle = claims.managed.filter((claim) => !busy.has(keyOf(claim)));
  const applied = target.retentionSchedule === undefined || retention.due !== undefined;
  return {
    target,
    slot,
    retention,
    // One that is pending or runs is enough.
    backups: due === undefined ? [] : idle.map((claim) => scheduledBackup({ config, target, claim }, due)),
    surplus: applied
      ? [...byClaim(own).values()].flatMap((some) => surplusOf(some, target.retention, now))
      : [],
    applied: applied && target.retention !== undefined,
  };
}

const slotKey = (target: string) => `slot-${target}`;
const retentionKey = (target: string) => `retention-${target}`;

function byClaim(backups: readonly ResticBackup[]): ReadonlyMap<ObjectKey, readonly ResticBackup[]> {
  return Map.groupBy(backups, claimKeyOf);
}

function autoRestore(config: BackupConfig, claim: KubeObject): Draft<ResticRestore> {
  const stopPods = selectorOf(config, claim)?.stopPods ?? true;
  const mark = claim.metadata.uid.replace(/[^a-z0-9]/g, "");
  return restoreDraft({ config, claim, asked: { type: "Latest" }, stopPods, auto: true, mark });
}

/** What annotations ask for: on a PVC for itself, on the BackupConfig for all of its PVCs. */
function askedFor(observed: ObservedConfig): Pick<ConfigDecision, "backups" | "restores" | "triggers"> {
  const { config, claims } = observed;
  const backups: Draft<ResticBackup>[] = [];
  const restores: Draft<ResticRestore>[] = [];
  const triggers: { readonly object: KubeObject; readonly trigger: Trigger }[] = [];
  for (const object of [config, ...claims.managed]) {
    const concerned = object === config ? claims.managed : [object];
    const backup = triggerOf(object, "backup");
    if (backup) {
      triggers.push({ object, trigger: backup });
      if (backup.value !== "") backups.push(...askedBackups(observed, backup, concerned, object === config));
    }
    const restore = triggerOf(object, "restore");
    if (restore) {
      triggers.push({ object, trigger: restore });
      if (restore.value !== "")
        restores.push(...concerned.map((claim) => askedRestoreOf(observed, restore, claim)));
    }
  }
  return { backups, restores, triggers };
}

function askedBackups(
  { config, backups, isDone, now }: ObservedConfig,
  trigger: Trigger,
  claims: readonly KubeObject[],
  ofConfig: boolean,
): readonly Draft<ResticBackup>[] {
  const { backupTargets } = config.spec;
  const { mark } = trigger;
  if (isDone(mark) || backups.some(({ metadata }) => metadata.annotations?.[TRIGGER] === mark)) return [];
  const only = backupTargets.length === 1 && !ofConfig;
  return claims.flatMap((claim) =>
    backupTargets.map((target) => {
      const name = manualName(trigger, { pvc: claim.metadata.name, target: target.name, only }, now);
      return manualBackup({ config, target, claim }, name, mark);
    }),
  );
}

function askedRestoreOf(
  { config, isBackup }: ObservedConfig,
  trigger: Trigger,
  claim: KubeObject,
): Draft<ResticRestore> {
  const { namespace } = claim.metadata;
  const asked = askedRestore(trigger.value, (name) => isBackup(keyOf({ namespace, name })));
  const stopPods = selectorOf(config, claim)?.stopPods ?? true;
  return restoreDraft({ config, claim, asked, stopPods, auto: false, mark: trigger.mark });
}

/** As many PVCs as a status names. */
const MOST_NAMED = 100;

function statusOf(
  { config, claims, backups, restores, now }: ObservedConfig,
  targets: readonly TargetDecision[],
  readyState: ReadyState,
): BackupConfigStatus {
  const { generation } = config.metadata;
  const managed = claims.managed.map(keyOf).toSorted();
  const memories = targets.flatMap(({ target, slot, retention }) => [
    ...(slot.memory ? [[slotKey(target.name), slot.memory] as const] : []),
    ...(retention.memory ? [[retentionKey(target.name), retention.memory] as const] : []),
  ]);
  const applied = targets.some((one) => one.surplus.length > 0 || one.retention.due !== undefined);
  const { lastRetentionCheck } = config.status ?? {};
  const checked = applied ? timestamp(now) : lastRetentionCheck;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    managedPVCs: managed.slice(0, MOST_NAMED),
    pvcCount: managed.length,
    targetCount: targets.length,
    targets: targets.map((one) => targetStatus(config, one, now)),
    backupJobs: jobsOf(backups),
    restoreJobs: jobsOf(restores),
    ...(checked ? { lastRetentionCheck: checked } : {}),
    work: Object.fromEntries(memories) as Record<string, unknown>,
    conditions: conditionsFor(config, readyState, [], now),
  } as BackupConfigStatus;
}

function targetStatus(
  config: BackupConfig,
  { target, slot, retention, surplus }: TargetDecision,
  now: number,
) {
  const before = config.status?.targets?.find(({ name }) => name === target.name);
  const lastBackup = slot.due === undefined ? before?.lastBackup : timestamp(slot.due);
  const applied = surplus.length > 0 || retention.due !== undefined;
  const lastRetention = applied ? timestamp(now) : before?.lastRetention;
  const problem = slot.problem ?? retention.problem;
  const schedule = backupCron(target);
  return {
    name: target.name,
    repository: repositoryName(config, target),
    ...(lastBackup ? { lastBackup } : {}),
    ...(slot.next === undefined ? {} : { nextBackup: timestamp(slot.next) }),
    ...(lastRetention ? { lastRetention } : {}),
    ...(schedule ? { schedule } : {}),
    ...(problem ? { problem } : {}),
  };
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

function readyStateOf(
  { config, claims, repository }: ObservedConfig,
  targets: readonly TargetDecision[],
): ReadyState {
  const wrong = targets.flatMap(({ target, slot, retention }) => {
    const problem = slot.problem ?? retention.problem;
    return problem === undefined ? [] : [`Target ${target.name}: ${problem}.`];
  });
  if (wrong.length > 0) return { state: "stalled", reason: "ScheduleInvalid", message: wrong.join(" ") };
  if (claims.forbidden.length > 0) {
    const { namespace } = config.metadata;
    const message = `It selects PVCs in ${someOf(claims.forbidden)}, and may not. Annotate these namespaces with ${ANNOTATIONS.allowedConfigs}: ${namespace}.`;
    return { state: "reconciling", reason: "NamespaceForbidden", message, warning: true };
  }
  const away = targets.flatMap(({ target }) => {
    const name = repositoryName(config, target);
    return repository(name)?.status?.phase === "Ready" ? [] : [name];
  });
  if (away.length > 0) {
    const message = `ResticRepository ${someOf(away)} is not ready. See its status.`;
    return { state: "reconciling", reason: "RepositoryNotReady", message };
  }
  const count = claims.managed.length;
  return {
    state: "ready",
    reason: "Managed",
    message: `It manages ${count} ${count === 1 ? "PVC" : "PVCs"}.`,
  };
}
