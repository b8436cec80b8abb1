import { isHeld } from "../../../core/backup/backup_annotations.ts";
import type { Slot } from "../../../core/policy/schedule_decision.ts";
import { slotName } from "../../../core/policy/slot_name.ts";
import { CONDITIONS } from "../../../core/reconcile/condition_types.ts";
import { type Problem, waits } from "../../../core/reconcile/problem.ts";
import type { ObservedSchedule } from "../../../core/schedule/decide_schedule.ts";
import type { ScheduledRun } from "../../../core/schedule/scheduled_runs.ts";
import { SCHEDULE_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { BackupSchedule } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import { type Draft, keyOf } from "../../../kube/object.ts";
import type { WantedCondition } from "../../../kube/write/conditions.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { labelValue } from "../../../lib/names.ts";
import { mayHoldSnapshots } from "../children/child.ts";

/** The Backup of a slot. Its name is the slot's, so that it can be made only once, and nobody owns it. */
export function scheduledBackup({ metadata, spec }: BackupSchedule, { slot, at }: Slot): Draft<Backup> {
  const { namespace } = metadata;
  const { configRef, tags } = spec;
  return {
    metadata: {
      name: slotName(metadata.name, slot),
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        [LABELS.backupSchedule]: labelValue(metadata.name),
        [LABELS.backupConfig]: labelValue(configRef.name),
        [LABELS.origin]: "scheduled",
      },
      annotations: {
        [SCHEDULE_ANNOTATIONS.slot]: timestamp(slot),
        [SCHEDULE_ANNOTATIONS.scheduledAt]: timestamp(at),
      },
    },
    spec: { configRef: { name: configRef.name }, ...(tags ? { tags } : {}) },
  };
}

/** Whether this schedule made the Backup for the slot. */
export function isOf(backup: Backup, schedule: BackupSchedule, slot: number): boolean {
  return isMadeBy(backup, schedule) && slotOf(backup) === slot;
}

/** A schedule as it was seen. `backups`: those of its namespace that it made, and perhaps others. */
export function observedSchedule(
  schedule: BackupSchedule,
  {
    config,
    backups,
    now,
  }: {
    readonly config: BackupConfig | undefined;
    readonly backups: readonly Backup[];
    readonly now: number;
  },
): ObservedSchedule<Backup> {
  return {
    schedule,
    problem: configProblem(schedule, config),
    conditions: [resolvable(config)],
    runs: backups
      .filter((backup) => isMadeBy(backup, schedule) && !Number.isNaN(slotOf(backup)))
      .map(scheduledRun),
    words: { startingDeadline: "startingDeadlineSeconds", forbidden: "concurrencyPolicy is Forbid" },
    now,
  };
}

/** Whether this schedule, or one of its name before it, made the Backup. */
function isMadeBy({ metadata }: Backup, schedule: BackupSchedule): boolean {
  return metadata.labels?.[LABELS.backupSchedule] === labelValue(schedule.metadata.name);
}

/** The slot that a Backup was made for; not a number where it was made for none. */
function slotOf({ metadata }: Backup): number {
  return Date.parse(metadata.annotations?.[SCHEDULE_ANNOTATIONS.slot] ?? "");
}

function scheduledRun(backup: Backup): ScheduledRun<Backup> {
  const { metadata, status } = backup;
  // Snapshots go with it, of its own or of the Backups that did the work in other namespaces.
  const parts = status?.backupRefs?.some(mayHoldSnapshots) ?? false;
  return {
    slot: slotOf(backup),
    scheduledAt: metadata.annotations?.[SCHEDULE_ANNOTATIONS.scheduledAt],
    backup,
    state: stateOf(backup),
    holdsData: parts || (status?.snapshots?.length ?? 0) > 0,
    held: isHeld(backup),
  };
}

function stateOf({ metadata, status }: Backup): ScheduledRun["state"] {
  if (metadata.deletionTimestamp) return "leaving";
  if (status?.phase === "Succeeded") return "succeeded";
  return status?.phase === "Failed" ? "failed" : "running";
}

/** Why the BackupConfig of a schedule cannot be run now, its repository included; nothing where it can. */
function configProblem(
  { metadata, spec }: BackupSchedule,
  config: BackupConfig | undefined,
): Problem | undefined {
  const key = keyOf({ namespace: metadata.namespace, name: spec.configRef.name });
  if (!config || config.metadata.deletionTimestamp) {
    return waits("ConfigNotFound", `BackupConfig ${key} does not exist. Create it, or correct configRef.`);
  }
  const { status } = config;
  // An edit that nobody has looked at yet is for its Backups to wait for.
  if (status?.phase === "Ready" || status?.phase === "Degraded") return undefined;
  const why = status?.conditions?.find(({ type }) => type === "Ready")?.message;
  return waits("ConfigNotReady", `BackupConfig ${key} cannot be run${why ? `: ${why}` : " yet."}`);
}

function resolvable(config: BackupConfig | undefined): WantedCondition {
  const type = CONDITIONS.configResolvable;
  return config && !config.metadata.deletionTimestamp
    ? { type, status: "True", reason: "Found", message: "The BackupConfig is there." }
    : { type, status: "False", reason: "ConfigNotFound", message: "The BackupConfig is not there." };
}
