import { GROUP, OTHER_PREFIX } from "./group.ts";

/** Labels that are set on objects. */
export const LABELS = {
  /** On a PVC: the BackupConfig that has claimed it, as namespace.name, or a hash of that. */
  managedBy: `${OTHER_PREFIX}/managed-by`,
  /** On a ResticBackup or ResticRestore: the BackupConfig that made it, in the same form. */
  config: `${GROUP}/backup-config`,
  /** On a ResticBackup or ResticRestore: the target of that BackupConfig. */
  target: `${GROUP}/backup-target`,
  /** On a ResticBackup or ResticRestore: the PVC. */
  pvc: `${GROUP}/pvc`,
} as const;

/** On every CRD of the group. */
export const CRD_LABELS = { "app.kubernetes.io/part-of": "autorestore" } as const;
