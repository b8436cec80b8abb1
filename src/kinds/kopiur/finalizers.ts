import { GROUP } from "./group.ts";

/** On every Backup: what becomes of its snapshots is settled before it goes. */
export const SNAPSHOT_CLEANUP = `${GROUP}/snapshot-cleanup`;
