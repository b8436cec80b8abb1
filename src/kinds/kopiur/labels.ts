import { GROUP } from "./group.ts";

/** Labels that are set on objects, so that they can be selected; what counts is in their status. */
export const LABELS = {
  /** Name of the Repository or ClusterRepository that holds a Backup's snapshots. */
  repository: `${GROUP}/repository`,
  /** UID of that repository: with the ID of a snapshot, it tells whether a Backup stands for it already. */
  repositoryUID: `${GROUP}/repository-uid`,
  backupConfig: `${GROUP}/backup-config`,
  backupSchedule: `${GROUP}/backup-schedule`,
  /** One of the origins. */
  origin: `${GROUP}/origin`,
  /** Hash of the identity under which the snapshots are recorded. */
  identityHash: `${GROUP}/identity-hash`,
  /** The engine's ID of the snapshot that a discovered Backup stands for. */
  snapshotID: `${GROUP}/snapshot-id`,
  /** `true` on a BackupConfig that repeats a recipe for several namespaces: it is edited there. */
  derived: `${GROUP}/derived`,
  /** `true` on a Maintenance that was made because a repository had none: one that somebody writes takes its place. */
  defaultMaintenance: `${GROUP}/default-maintenance`,
} as const;

/** On every CRD of the group. */
export const CRD_LABELS = { "app.kubernetes.io/part-of": "kopiur" } as const;
