import type { Slot } from "../../../core/policy/schedule_decision.ts";
import { slotName } from "../../../core/policy/slot_name.ts";
import { SCHEDULE_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupSchedule } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import type { Draft } from "../../../kube/object.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { labelValue } from "../../../lib/names.ts";

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

/** Whether this schedule, or one of its name before it, made the Backup. */
export function isMadeBy({ metadata }: Backup, schedule: BackupSchedule): boolean {
  return metadata.labels?.[LABELS.backupSchedule] === labelValue(schedule.metadata.name);
}

/** The slot that a Backup was made for; not a number where it was made for none. */
export function slotOf({ metadata }: Backup): number {
  return Date.parse(metadata.annotations?.[SCHEDULE_ANNOTATIONS.slot] ?? "");
}

/** When a Backup was due, jitter included. */
export function scheduledAtOf({ metadata }: Backup): string | undefined {
  return metadata.annotations?.[SCHEDULE_ANNOTATIONS.scheduledAt];
}
