import { GROUP } from "./group.ts";

/** On a ResticBackup: its snapshot is deleted before it goes. */
export const SNAPSHOT_CLEANUP = `${GROUP}/snapshot-cleanup`;

/** On a ResticRestore: the workloads that it scaled down come back before it goes. */
export const SCALED_WORKLOADS = `${GROUP}/scaled-workloads`;

/** On a BackupConfig: its PVCs are released before it goes. */
export const CLAIMED_PVCS = `${GROUP}/claimed-pvcs`;
