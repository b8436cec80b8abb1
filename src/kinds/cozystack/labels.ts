import { GROUP } from "./group.ts";

/** Labels that are set on objects, so that they can be selected; what counts is in their spec. */
export const LABELS = {
  /** Name of the Plan that made a BackupJob, or that a Backup belongs to. */
  plan: `${GROUP}/plan`,
  /** Name of the BackupJob that made a Backup. */
  backupJob: `${GROUP}/backup-job`,
} as const;

/** On a BackupJob that a Plan made. */
export const ANNOTATIONS = {
  /** The scheduled time, which a BackupJob is made for once. */
  slot: `${GROUP}/slot`,
  /** `true`: neither history limits nor retention delete the object. */
  hold: `${GROUP}/hold`,
} as const;

/** On every CRD of the API. */
export const CRD_LABELS = { "app.kubernetes.io/part-of": "cozystack" } as const;
