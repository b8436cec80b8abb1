import type { Target } from "./claiming.ts";

/** When a target is backed up, under either name. */
export function backupCron({ backupSchedule, schedule }: Target): string | undefined {
  return backupSchedule ?? schedule;
}

/* Under which names a BackupConfig remembers how far the schedules of a target have come. */
export const slotKey = (target: string) => `slot-${target}`;
export const retentionKey = (target: string) => `retention-${target}`;
