import { GROUP } from "./group.ts";

/** Labels of Velero's, by which its server and node agents find objects. */
export const LABELS = {
  /** On a BackupRepository: the namespace whose volumes it holds. */
  volumeNamespace: `${GROUP}/volume-namespace`,
  storageLocation: `${GROUP}/storage-location`,
  repositoryType: `${GROUP}/repository-type`,
  backupName: `${GROUP}/backup-name`,
  backupUID: `${GROUP}/backup-uid`,
  restoreName: `${GROUP}/restore-name`,
  restoreUID: `${GROUP}/restore-uid`,
  /** `true` on a PodVolumeBackup or PodVolumeRestore whose pod is being prepared. */
  exposeOngoing: `${GROUP}/expose-on-going`,
  /** On the pod that moves the data: whose it is. */
  podVolumeBackup: `${GROUP}/pod-volume-backup`,
  podVolumeRestore: `${GROUP}/pod-volume-restore`,
} as const;

/** On a PodVolumeBackup: the PVC of the volume. */
export const PVC_NAME_ANNOTATION = `${GROUP}/pvc-name`;

/** On every CRD of the group. */
export const CRD_LABELS = { component: "velero" } as const;
