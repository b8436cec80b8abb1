import { GROUP } from "./group.ts";

/** On every Backup: what becomes of its snapshots is settled before it goes. */
export const SNAPSHOT_CLEANUP = `${GROUP}/snapshot-cleanup`;
/** On a Restore that has scaled workloads down: they are brought back before it goes. */
export const SCALED_WORKLOADS = `${GROUP}/scaled-workloads`;
