import { GROUP, OTHER_PREFIX } from "./group.ts";

/** Annotations that the operator writes, and those that people write under either prefix. */
export const ANNOTATIONS = {
  /** On a PVC: the exact BackupConfig that has claimed it, as namespace/name. */
  managedBy: `${OTHER_PREFIX}/managed-by`,
  /** On a PVC, and on the ResticRestore: the UID of the PVC that auto-restore was decided for. It is never decided again. */
  autoRestore: `${GROUP}/auto-restore`,
  /** On a namespace: the namespaces whose BackupConfigs may select PVCs in it, separated by commas, or `*`. */
  allowedConfigs: `${GROUP}/allow-backup-configs-from`,
  /** On a ResticBackup: deleting the object leaves its snapshot in the repository. */
  skipSnapshotCleanup: `${GROUP}/skip-snapshot-cleanup`,
  /** On a ResticBackup: retention keeps it, and so does the webhook. */
  hold: `${GROUP}/hold`,
  /** On a ResticBackup: its PVC is meant to be as small as it was then, so that retention goes on. */
  acknowledgeShrink: `${GROUP}/acknowledge-shrink`,
  /** On a ResticBackup or ResticRestore: its run ends. */
  cancel: `${GROUP}/cancel`,
  /** On a ResticRepository: the token of the held deletions that may go on. */
  acknowledgeDeletions: `${GROUP}/acknowledge-deletions`,
  /** On a ResticRepository: `true` lets one that lies on a PVC and holds snapshots be deleted. */
  acknowledgeRemoval: `${GROUP}/acknowledge-removal`,
  /** On a namespace: movers may run as root there. */
  allowPrivilegedMovers: `${GROUP}/allow-privileged-movers`,
} as const;

/** What people ask for, without its prefix. The last is the document's other name for a restore. */
export const TRIGGERS = {
  backup: ["manual-backup"],
  restore: ["manual-restore", "restore-from-backup"],
} as const;

/** What the operator puts in the place of an annotation that it has accepted, until all is made that it asks for. */
export const ACCEPTED = {
  backup: `${GROUP}/accepted-manual-backup`,
  restore: `${GROUP}/accepted-manual-restore`,
} as const;

/** Every annotation that asks for the same. */
export function triggerNames(trigger: keyof typeof TRIGGERS): readonly string[] {
  return TRIGGERS[trigger].flatMap((name) => [`${GROUP}/${name}`, `${OTHER_PREFIX}/${name}`]);
}
