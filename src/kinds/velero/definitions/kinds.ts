import type { Kind } from "../../../kube/schema/kind.ts";
import { backupRepository } from "./backup_repository.ts";
import { backupStorageLocation } from "./backup_storage_location.ts";
import { podVolumeBackup } from "./pod_volume_backup.ts";
import { podVolumeRestore } from "./pod_volume_restore.ts";

/** The kinds of Velero's data path for pod volumes. */
export const veleroKinds: readonly Kind[] = [
  podVolumeBackup,
  podVolumeRestore,
  backupRepository,
  backupStorageLocation,
];
