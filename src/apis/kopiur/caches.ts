import type { Claim } from "../../core/volumes/claim_request.ts";
import { type Backup, backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { type BackupConfig, backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { type Repository, repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import { type Restore, restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { Namespaces, PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import type { Informers } from "../../kube/cache/informers.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import { hasSelector } from "./rules/recorded_paths.ts";

/** What the controllers of this API read. */
export interface KopiurCaches {
  readonly repositories: Cache<Repository>;
  readonly configs: Cache<BackupConfig>;
  readonly backups: Cache<Backup>;
  readonly restores: Cache<Restore>;
  /** Their metadata alone. */
  readonly claims: Cache<Claim>;
  /** Their metadata alone. */
  readonly namespaces: Cache<KubeObject>;
}

/** By the key of the repository that an object works with, while it has not ended. */
export const BY_REPOSITORY = "repository";
/** By the key of the recipe that an object works by, while it has not ended. */
export const BY_CONFIG = "config";
/** By the key of the Backup that a Restore waits for. */
export const BY_BACKUP = "backup";
/** By the key of the claim that a Restore writes into. */
export const BY_CLAIM = "claim";
/** By the namespace in which a recipe selects claims. */
export const BY_SELECTION = "selection";
/** By namespace, while it has not ended. */
export const BY_NAMESPACE = "namespace";
/** By the ID of a snapshot that a Backup stands for. */
export const BY_SNAPSHOT = "snapshot";

/** Shares the informers of this API. `namespace`: default all. */
export function kopiurCaches(informers: Pick<Informers, "cache">, namespace?: string): KopiurCaches {
  const scope = namespace === undefined ? {} : { namespace };
  return {
    repositories: informers.cache({ resource: repositoryResource, ...scope }),
    configs: informers.cache({
      resource: backupConfigResource,
      ...scope,
      indexes: {
        [BY_REPOSITORY]: ({ metadata, spec }) => [inside(metadata, spec.repository.name)],
        [BY_SELECTION]: (config) => (hasSelector(config) ? [config.metadata.namespace ?? ""] : []),
      },
    }),
    backups: informers.cache({ resource: backupResource, ...scope, indexes: BACKUP_INDEXES }),
    restores: informers.cache({ resource: restoreResource, ...scope, indexes: RESTORE_INDEXES }),
    claims: informers.cache({
      resource: PersistentVolumeClaims,
      ...scope,
      metadataOnly: true,
      indexes: { [BY_NAMESPACE]: ({ metadata }) => [metadata.namespace ?? ""] },
    }),
    namespaces: informers.cache<KubeObject>({ resource: Namespaces, metadataOnly: true }),
  };
}

const BACKUP_INDEXES = {
  [BY_CONFIG]: (backup: Backup) => open(backup, () => inside(backup.metadata, backup.spec.configRef?.name)),
  [BY_REPOSITORY]: (backup: Backup) =>
    open(backup, () => inside(backup.metadata, backup.status?.resolved?.repository?.name)),
  [BY_NAMESPACE]: (backup: Backup) => open(backup, () => backup.metadata.namespace ?? ""),
  [BY_SNAPSHOT]: ({ status }: Backup) => status?.snapshots?.map((one) => one.kopiaSnapshotID) ?? [],
};

const RESTORE_INDEXES = {
  [BY_BACKUP]: (restore: Restore) =>
    open(restore, () => inside(restore.metadata, restore.spec.source.backupRef?.name)),
  [BY_CONFIG]: (restore: Restore) =>
    open(restore, () => inside(restore.metadata, restore.spec.source.fromConfig?.name)),
  [BY_CLAIM]: (restore: Restore) =>
    open(restore, () => inside(restore.metadata, restore.spec.target?.pvc?.name)),
  [BY_NAMESPACE]: (restore: Restore) => open(restore, () => restore.metadata.namespace ?? ""),
};

const ENDED = ["Succeeded", "Failed", "Discovered", "Completed"];

/** Nothing is to be done about what has ended, unless it is being deleted. */
function open(
  { metadata, status }: KubeObject & { readonly status?: { readonly phase?: string } },
  value: () => string,
): readonly string[] {
  const ended = ENDED.includes(status?.phase ?? "") && !metadata.deletionTimestamp;
  return ended ? [] : [value()];
}

function inside({ namespace }: { readonly namespace?: string }, name = ""): string {
  return keyOf({ namespace, name });
}
