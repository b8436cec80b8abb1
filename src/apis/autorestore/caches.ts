import type { Claim } from "../../core/volumes/claim_request.ts";
import { KEPT_OF_CLAIM } from "../../core/volumes/kept_of_claim.ts";
import { type BackupConfig, backupConfigResource } from "../../kinds/autorestore/generated/backup_config.ts";
import { type ResticBackup, resticBackupResource } from "../../kinds/autorestore/generated/restic_backup.ts";
import {
  type ResticRepository,
  resticRepositoryResource,
} from "../../kinds/autorestore/generated/restic_repository.ts";
import {
  type ResticRestore,
  resticRestoreResource,
} from "../../kinds/autorestore/generated/restic_restore.ts";
import { LABELS } from "../../kinds/autorestore/labels.ts";
import { PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import type { Informers } from "../../kube/cache/informers.ts";
import { namespaceCache } from "../../kube/cache/namespaces.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../kube/object.ts";

/** What the controllers of this API read. */
export interface AutorestoreCaches {
  readonly configs: Cache<BackupConfig>;
  readonly repositories: Cache<ResticRepository>;
  readonly backups: Cache<ResticBackup>;
  readonly restores: Cache<ResticRestore>;
  readonly claims: Cache<Claim>;
  /** Their metadata alone. */
  readonly namespaces: Cache<KubeObject>;
}

/** By the key of the PVC that a ResticBackup reads or a ResticRestore writes. */
export const BY_CLAIM = "autorestore-claim";
/** By the label that names the BackupConfig. */
export const BY_CONFIG = "autorestore-config";
/** By the key of the ResticRepository, while there is something to do. */
export const BY_REPOSITORY = "autorestore-repository";
/** By the key of the ResticBackup that a ResticRestore names. */
export const BY_BACKUP = "autorestore-backup";

/** Shares the informers of this API. `namespace`: default all. */
export function autorestoreCaches(
  informers: Pick<Informers, "cache">,
  namespace?: string,
): AutorestoreCaches {
  const scope = namespace === undefined ? {} : { namespace };
  return {
    configs: informers.cache({ resource: backupConfigResource, ...scope }),
    repositories: informers.cache({ resource: resticRepositoryResource, ...scope }),
    backups: informers.cache({ resource: resticBackupResource, ...scope, indexes: BACKUP_INDEXES }),
    restores: informers.cache({ resource: resticRestoreResource, ...scope, indexes: RESTORE_INDEXES }),
    claims: informers.cache({ resource: PersistentVolumeClaims, ...scope, keep: KEPT_OF_CLAIM }),
    namespaces: namespaceCache(informers, namespace),
  };
}

const configLabel = ({ metadata }: KubeObject) => {
  const label = metadata.labels?.[LABELS.config];
  return label === undefined ? [] : [label];
};

const BACKUP_INDEXES = {
  [BY_CLAIM]: (backup: ResticBackup) => [claimKeyOf(backup)],
  [BY_CONFIG]: configLabel,
  [BY_REPOSITORY]: (backup: ResticBackup) =>
    isUnended(backup) || backup.metadata.deletionTimestamp ? [repositoryKeyOf(backup)] : [],
};

const RESTORE_INDEXES = {
  [BY_CLAIM]: (restore: ResticRestore) => [restoreClaimKeyOf(restore)],
  [BY_CONFIG]: configLabel,
  [BY_REPOSITORY]: ({ metadata, spec }: ResticRestore) => {
    const ref = spec.backupTarget?.repository;
    return ref ? [keyOf({ namespace: ref.namespace ?? metadata.namespace, name: ref.name })] : [];
  },
  [BY_BACKUP]: ({ metadata, spec }: ResticRestore) =>
    spec.backupName ? [keyOf({ namespace: metadata.namespace, name: spec.backupName })] : [],
};

/** The key of the PVC that a backup is of. */
export function claimKeyOf({ metadata, spec }: ResticBackup): ObjectKey {
  return keyOf({ namespace: metadata.namespace, name: spec.pvcRef.name });
}

/** The key of the PVC that a restore writes into. */
export function restoreClaimKeyOf({ metadata, spec }: ResticRestore): ObjectKey {
  return keyOf({ namespace: metadata.namespace, name: spec.targetPVC });
}

/** The key of the repository that a backup is stored in. */
export function repositoryKeyOf({ metadata, spec }: ResticBackup) {
  const { name, namespace = metadata.namespace } = spec.repositoryRef;
  return keyOf({ namespace, name });
}

export interface Phased extends KubeObject {
  readonly status?: { readonly phase?: string };
}

/** Whether it has not ended. */
export function isUnended({ status }: Phased): boolean {
  return status?.phase !== "Completed" && status?.phase !== "Failed";
}
