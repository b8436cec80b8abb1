import type { EngineRoom } from "../../core/reconcile/engine_room.ts";
import {
  type BackupRepository,
  backupRepositoryResource,
} from "../../kinds/velero/generated/backup_repository.ts";
import {
  type BackupStorageLocation,
  backupStorageLocationResource,
} from "../../kinds/velero/generated/backup_storage_location.ts";
import {
  type PodVolumeBackup,
  podVolumeBackupResource,
} from "../../kinds/velero/generated/pod_volume_backup.ts";
import {
  type PodVolumeRestore,
  podVolumeRestoreResource,
} from "../../kinds/velero/generated/pod_volume_restore.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import type { Informers } from "../../kube/cache/informers.ts";
import { namespaceCache } from "../../kube/cache/namespaces.ts";
import type { KubeObject, ObjectKey } from "../../kube/object.ts";
import type { Left } from "./data_path/left_behind.ts";
import type { NodeAgentConfig } from "./node_agent_config.ts";
import type { VeleroSettings } from "./velero_settings.ts";

/** What the controllers of this API read. */
export interface VeleroCaches {
  readonly backups: Cache<PodVolumeBackup>;
  readonly restores: Cache<PodVolumeRestore>;
  readonly repositories: Cache<BackupRepository>;
  readonly locations: Cache<BackupStorageLocation>;
  /** Their metadata alone. */
  readonly namespaces: Cache<KubeObject>;
}

export interface VeleroPorts extends EngineRoom {
  readonly caches: VeleroCaches;
  /** What is set for this API alone. */
  readonly own: VeleroSettings;
  /** The UIDs of objects whose work this process has begun, and not seen ended. */
  readonly begun: Set<string>;
  /** The UIDs of objects that this process has accepted: caches show a moment later that their pods are being prepared. */
  readonly preparing: Set<string>;
  /** By namespace: the settings of its node agent, and when they were read, on the monotonic clock. */
  readonly configs: Map<string, { readonly config: NodeAgentConfig; readonly readAt: number }>;
  /** By repository: what backups left that have gone, until the repository's object says it. */
  readonly gone: Map<ObjectKey, readonly Left[]>;
  /** Looks at a repository again. */
  readonly wakeRepository: (key: ObjectKey) => void;
  /** The namespaces of which the log has said that their objects are left alone. */
  readonly leftAlone: Set<string>;
}

/** Shares the informers of this API. `namespace`: default all. */
export function veleroCaches(informers: Pick<Informers, "cache">, namespace?: string): VeleroCaches {
  const scope = namespace === undefined ? {} : { namespace };
  return {
    backups: informers.cache({ resource: podVolumeBackupResource, ...scope }),
    restores: informers.cache({ resource: podVolumeRestoreResource, ...scope }),
    repositories: informers.cache({ resource: backupRepositoryResource, ...scope }),
    locations: informers.cache({ resource: backupStorageLocationResource, ...scope }),
    namespaces: namespaceCache(informers, namespace),
  };
}
