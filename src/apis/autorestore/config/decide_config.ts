import { newsOf } from "../../../core/reconcile/ready_state.ts";
import { recordsOf } from "../../../core/reconcile/records.ts";
import { decideSlot, type SlotMemory } from "../../../core/schedule/decide_slot.ts";
import type { BackupConfig, BackupConfigStatus } from "../../../kinds/autorestore/generated/backup_config.ts";
import type { ResticBackup } from "../../../kinds/autorestore/generated/restic_backup.ts";
import type { ResticRepository } from "../../../kinds/autorestore/generated/restic_repository.ts";
import type { ResticRestore } from "../../../kinds/autorestore/generated/restic_restore.ts";
import { LABELS } from "../../../kinds/autorestore/labels.ts";
import { type Draft, type KubeObject, keyOf } from "../../../kube/object.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { jsonEqual } from "../../../lib/json.ts";
import { labelValue } from "../../../lib/names.ts";
import { soonest } from "../../../lib/soonest.ts";
import { claimKeyOf, isUnended } from "../caches.ts";
import { type AskedFor, askedFor, NOTHING_ASKED } from "./asked_for.ts";
import { decideAutoRestore } from "./auto_restore.ts";
import { configLabel, repositoryName, type Target, takenNames } from "./claiming.ts";
import { configReadyState, configStatus } from "./config_status.ts";
import { repositoryDraft, restoreDraft, scheduledBackup } from "./drafts.ts";
import type { ObservedConfig, TargetDecision } from "./observed_config.ts";
import { pruningPause, surplusOf } from "./surplus.ts";
import { backupCron, retentionKey, slotKey } from "./target_slots.ts";

/** What is done, in this order; each may be done again. */
export interface ConfigDecision {
  readonly repositories: readonly Draft<ResticRepository>[];
  /** Repositories of its targets that do not say any more what the target says. */
  readonly edited: readonly ResticRepository[];
  readonly claim: readonly KubeObject[];
  readonly release: readonly KubeObject[];
  readonly backups: readonly Draft<ResticBackup>[];
  readonly restores: readonly Draft<ResticRestore>[];
  readonly accept: AskedFor["accept"];
  readonly settle: AskedFor["settle"];
  /** PVCs whose auto-restore is decided. */
  readonly decided: readonly KubeObject[];
  readonly surplus: readonly ResticBackup[];
  readonly targets: readonly TargetDecision[];
  readonly status: BackupConfigStatus;
  /** What is told of how it stands, and of what was done. */
  readonly news: readonly EventNote[];
  readonly events: readonly EventNote[];
  readonly wakeAt?: number | undefined;
}

/** What follows for a BackupConfig that is not being deleted. */
export function decideConfig(observed: ObservedConfig): ConfigDecision {
  const { config, claims, now } = observed;
  const { managed } = claims;
  const targets = config.spec.backupTargets.map((target) => decideTarget(observed, target));
  // What is asked for waits while a target has no repository of its own: another one's would be taken for it.
  const waits = takenNames(config, observed.repository).length > 0;
  const autos = (waits ? [] : managed).map((claim) => ({
    claim,
    decision: decideAutoRestore(config, claim, now),
  }));
  const asked = waits ? NOTHING_ASKED : askedFor(observed);
  const auto = autos.flatMap(({ claim, decision }) =>
    decision.type === "Restore" ? [autoRestore(config, claim)] : [],
  );
  const skipped = autos.flatMap(({ claim, decision }) =>
    decision.type === "Skip"
      ? [
          {
            type: "Normal",
            reason: "AutoRestoreSkipped",
            message: `PersistentVolumeClaim ${keyOf(claim)} is not restored automatically: ${decision.why}`,
          } as const,
        ]
      : [],
  );
  const readyState = configReadyState(observed, targets);
  return {
    ...decideRepositories(observed),
    claim: claims.free,
    release: claims.released,
    backups: [...targets.flatMap(({ backups }) => backups), ...asked.backups],
    restores: [...auto, ...asked.restores],
    accept: asked.accept,
    settle: asked.settle,
    decided: autos.filter(({ decision }) => decision.type !== "None").map(({ claim }) => claim),
    surplus: targets.flatMap(({ surplus }) => surplus),
    targets,
    status: configStatus(observed, targets, readyState),
    news: newsOf(config, readyState),
    events: [...skipped, ...asked.events],
    wakeAt: soonest(...targets.flatMap(({ slot, retention }) => [slot.next, retention.next])),
  };
}

/** The repositories that targets describe are made, and follow when a target is edited. */
function decideRepositories({
  config,
  repository,
}: ObservedConfig): Pick<ConfigDecision, "repositories" | "edited"> {
  const drafts = config.spec.backupTargets.flatMap((target) => repositoryDraft(config, target) ?? []);
  const there = ({ metadata: { name = "" } }: Draft<ResticRepository>) => repository(name);
  return {
    repositories: drafts.filter((draft) => !there(draft)),
    edited: drafts.flatMap((draft) => {
      const object = there(draft);
      const ours = object?.metadata.labels?.[LABELS.config] === configLabel(config.metadata);
      return object && ours && !jsonEqual(object.spec, draft.spec) ? [{ ...object, spec: draft.spec }] : [];
    }),
  };
}

/** What the engine room would call records: how far the schedules of targets have come. */
function memoryOf({ status }: BackupConfig, name: string): SlotMemory | undefined {
  return recordsOf(status)[name] as SlotMemory | undefined;
}

function decideTarget(
  { config, claims, backups, repository, isWanted, now }: ObservedConfig,
  target: Target,
): TargetDecision {
  const { name } = target;
  const { uid } = config.metadata;
  const own = backups.filter(({ metadata }) => metadata.labels?.[LABELS.target] === labelValue(name));
  const slot = decideSlot(`${uid}/${name}`, backupCron(target), memoryOf(config, slotKey(name)), now);
  const retention = decideSlot(
    `${uid}/${name}/retention`,
    target.retentionSchedule,
    memoryOf(config, retentionKey(name)),
    now,
  );
  const busy = new Set(own.filter(isUnended).map(claimKeyOf));
  const volumes = [...Map.groupBy(own, claimKeyOf).values()];
  const { due } = slot;
  const isTaken = takenNames(config, repository).includes(repositoryName(config, target));
  const idle = isTaken ? [] : claims.managed.filter((claim) => !busy.has(keyOf(claim)));
  const applied = target.retentionSchedule === undefined || retention.due !== undefined;
  return {
    target,
    slot,
    retention,
    // One that is pending or runs is enough.
    backups: due === undefined ? [] : idle.map((claim) => scheduledBackup({ config, target, claim }, due)),
    surplus: applied
      ? volumes.flatMap((some) => surplusOf(some, target.retention, now)).filter((one) => !isWanted(one))
      : [],
    pauses: target.retention ? volumes.flatMap((some) => pruningPause(some) ?? []) : [],
    retainedAt: target.retention && (retention.due === undefined ? lastEnd(own, target) : now),
  };
}

/** Without a schedule of its own, a retention is applied whenever a backup has ended. */
function lastEnd(backups: readonly ResticBackup[], { retentionSchedule }: Target): number | undefined {
  if (retentionSchedule !== undefined) return undefined;
  const ends = backups.flatMap(({ status }) =>
    status?.completionTime ? [Date.parse(status.completionTime)] : [],
  );
  return ends.length === 0 ? undefined : Math.max(...ends);
}

function autoRestore(config: BackupConfig, claim: KubeObject): Draft<ResticRestore> {
  const mark = claim.metadata.uid.replace(/[^a-z0-9]/g, "");
  return restoreDraft({ config, claim, asked: { type: "Latest" }, auto: true, mark });
}
