import { GROUP } from "./group.ts";

/** Labels that are set on objects, so that they can be selected; what counts is in their spec. */
export const LABELS = {
  /** Name of the Plan that made a BackupJob, or that a Backup belongs to. */
  plan: `${GROUP}/plan`,
  /** Name of the BackupJob that made a Backup. */
  backupJob: `${GROUP}/backup-job`,
  /** The application of a Backup, or of a PVC that was made for it. */
  application: `${GROUP}/application`,
  applicationKind: `${GROUP}/application-kind`,
  applicationGroup: `${GROUP}/application-group`,
} as const;

/** On a BackupJob that a Plan made. */
export const ANNOTATIONS = {
  /** The scheduled time, which a BackupJob is made for once. */
  slot: `${GROUP}/slot`,
  /** `true`: neither history limits nor retention delete the object. */
  hold: `${GROUP}/hold`,
  /** `true` on a Backup: the application is meant to be as small as it was then, so that retention goes on. */
  acknowledgeShrink: `${GROUP}/acknowledge-shrink`,
} as const;

/** On a Backup: the UID of the BackupJob that it was made for. Another of the same name does not count. */
export const MADE_BY = `${GROUP}/backup-job-uid`;

/** On a RestoreJob: the namespaces that its author was allowed to restore into, as admission wrote them down. */
export const CONSENTS = `${GROUP}/consented-references`;

/** On a Namespace: those whose RestoreJobs may restore into it, by name with commas between. */
export const RESTORES_FROM = `${GROUP}/allowed-restore-namespaces`;

/** On a Namespace: its Secrets that strategies may lend to tenants, by name with commas between. */
export const LENDABLE = `${GROUP}/lendable-secrets`;

/** `true` on a Backup: its driver knows `targetNamespace`, and would not restore into the Backup's own namespace instead. */
export const RESTORES_ELSEWHERE = `${GROUP}/restores-into-other-namespaces`;

/** On every CRD of the API. */
export const CRD_LABELS = { "app.kubernetes.io/part-of": "cozystack" } as const;
