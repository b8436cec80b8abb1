import type { Claim } from "../../core/volumes/claim_request.ts";
import { KEPT_OF_CLAIM } from "../../core/volumes/kept_of_claim.ts";
import { primeSource } from "../../core/volumes/populator/population_marks.ts";
import { type Backup, backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { type BackupConfig, backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { type BackupSchedule, backupScheduleResource } from "../../kinds/kopiur/generated/backup_schedule.ts";
import {
  type ClusterRepository,
  clusterRepositoryResource,
} from "../../kinds/kopiur/generated/cluster_repository.ts";
import { type Maintenance, maintenanceResource } from "../../kinds/kopiur/generated/maintenance.ts";
import { type Repository, repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import { type Restore, restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { LABELS } from "../../kinds/kopiur/labels.ts";
import { PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import type { Informers } from "../../kube/cache/informers.ts";
import { namespaceCache } from "../../kube/cache/namespaces.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../kube/object.ts";
import { labelValue } from "../../lib/names.ts";
import { isCrossNamespace } from "./children/child.ts";
import { originKey } from "./multi_namespace/derived_config.ts";
import { isMultiNamespace, sourcesByNamespace } from "./multi_namespace/namespaces_of.ts";
import { type RepositoryRef, repositoryKey } from "./references.ts";
import { hasSelector } from "./rules/recorded_paths.ts";

/** What the controllers of this API read. */
export interface KopiurCaches {
  readonly repositories: Cache<Repository>;
  /** Absent where only one namespace is looked at. */
  readonly clusterRepositories: Cache<ClusterRepository> | undefined;
  readonly configs: Cache<BackupConfig>;
  readonly schedules: Cache<BackupSchedule>;
  readonly backups: Cache<Backup>;
  readonly restores: Cache<Restore>;
  readonly maintenances: Cache<Maintenance>;
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
/** By the key of the Restore that a claim names in its dataSourceRef. */
export const BY_DATA_SOURCE = "data-source";
/** By the key of the Restore that a prime claim is filled from. */
export const BY_PRIME_SOURCE = "prime-source";
/** By the namespace in which a recipe selects claims. */
export const BY_SELECTION = "selection";
/** By each namespace that a recipe for claims of several is about. */
export const BY_TARGET_NAMESPACE = "targetNamespace";
/** By the key of the recipe that a recipe repeats in another namespace. */
export const BY_ORIGIN = "origin";
/** By namespace, while it has not ended. */
export const BY_NAMESPACE = "namespace";
/** By the key of the recipe that a Backup was made by, also once it has ended. */
export const BY_RECIPE = "recipe";
/** By namespace and label of a schedule: of itself, and of the Backups that it made. */
export const BY_SCHEDULE = "schedule";
/** By the key of the repository whose snapshots a Backup stands for; by its UID, where that is not in the status yet. */
export const BY_CATALOG = "catalog";
/** By the ID of a snapshot that a Backup stands for, which may change, and by the run that made it. */
export const BY_SNAPSHOT = "snapshot";

/** Shares the informers of this API. `namespace`: default all. */
export function kopiurCaches(informers: Pick<Informers, "cache">, namespace?: string): KopiurCaches {
  const scope = namespace === undefined ? {} : { namespace };
  return {
    repositories: informers.cache({ resource: repositoryResource, ...scope }),
    clusterRepositories:
      namespace === undefined ? informers.cache({ resource: clusterRepositoryResource }) : undefined,
    configs: informers.cache({ resource: backupConfigResource, ...scope, indexes: CONFIG_INDEXES }),
    // Whoever reads these two watches them, and waits for them: nobody else has to.
    schedules: informers.cache({
      resource: backupScheduleResource,
      ...scope,
      indexes: SCHEDULE_INDEXES,
      optional: true,
    }),
    backups: informers.cache({
      resource: backupResource,
      ...scope,
      indexes: BACKUP_INDEXES,
      shared: SHARED_OF_BACKUPS,
    }),
    restores: informers.cache({ resource: restoreResource, ...scope, indexes: RESTORE_INDEXES }),
    maintenances: informers.cache({
      resource: maintenanceResource,
      ...scope,
      indexes: MAINTENANCE_INDEXES,
      optional: true,
    }),
    claims: informers.cache({
      resource: PersistentVolumeClaims,
      ...scope,
      keep: KEPT_OF_CLAIM,
      indexes: CLAIM_INDEXES,
    }),
    namespaces: namespaceCache(informers, namespace),
  };
}

// Whoever shares a cache declares its indexes again, by the same functions.

const CONFIG_INDEXES = {
  [BY_TARGET_NAMESPACE]: (config: BackupConfig) =>
    isMultiNamespace(config) ? [...sourcesByNamespace(config).keys()] : [],
  [BY_ORIGIN]: (config: BackupConfig) => [originKey(config)].flatMap((key) => key ?? []),
  [BY_REPOSITORY]: ({ metadata, spec }: BackupConfig) => [placeOf(metadata, spec.repository)],
  [BY_NAMESPACE]: ({ metadata }: BackupConfig) => [metadata.namespace ?? ""],
  [BY_SELECTION]: (config: BackupConfig) => (hasSelector(config) ? [config.metadata.namespace ?? ""] : []),
};

const MAINTENANCE_INDEXES = {
  [BY_REPOSITORY]: ({ metadata, spec }: Maintenance) => [placeOf(metadata, spec.repository)],
};

const CLAIM_INDEXES = {
  [BY_NAMESPACE]: ({ metadata }: Claim) => [metadata.namespace ?? ""],
  [BY_DATA_SOURCE]: dataSource,
  [BY_PRIME_SOURCE]: (claim: Claim) => [primeSource(claim, restoreResource)].flatMap((key) => key ?? []),
};

const SCHEDULE_INDEXES = {
  [BY_CONFIG]: ({ metadata, spec }: BackupSchedule) => [inside(metadata, spec.configRef.name)],
  [BY_SCHEDULE]: ({ metadata }: BackupSchedule) => [inside(metadata, labelValue(metadata.name))],
};

/** There may be many thousands of Backups that have ended, of a few recipes. */
const SHARED_OF_BACKUPS = [
  ["metadata", "labels"],
  ["metadata", "finalizers"],
  ["spec"],
  ["status", "resolved"],
  ["status", "snapshot", "identity"],
  ["status", "snapshots", "0", "identity"],
];

const BACKUP_INDEXES = {
  // What another namespace asked for is made by a Backup beside the recipe, which counts.
  [BY_RECIPE]: (backup: Backup) => {
    const { metadata, spec } = backup;
    return spec.configRef && !isCrossNamespace(backup) ? [inside(metadata, spec.configRef.name)] : [];
  },
  [BY_SCHEDULE]: ({ metadata }: Backup) => {
    const label = metadata.labels?.[LABELS.backupSchedule];
    return label === undefined ? [] : [inside(metadata, label)];
  },
  [BY_CONFIG]: (backup: Backup) => open(backup, () => sourceKey(backup, backup.spec.configRef)),
  [BY_REPOSITORY]: (backup: Backup) =>
    open(backup, () => placeOf(backup.metadata, backup.status?.resolved?.repository)),
  [BY_NAMESPACE]: (backup: Backup) => open(backup, () => backup.metadata.namespace ?? ""),
  [BY_CATALOG]: ({ metadata, status }: Backup) => {
    const { repository } = status?.resolved ?? {};
    return [repository ? placeOf(metadata, repository) : (metadata.labels?.[LABELS.repositoryUID] ?? "")];
  },
  [BY_SNAPSHOT]: ({ status }: Backup) =>
    (status?.snapshots ?? []).flatMap(({ kopiaSnapshotID: id, runID }) => (runID ? [id, runID] : [id])),
};

const RESTORE_INDEXES = {
  [BY_REPOSITORY]: (restore: Restore) =>
    unlessEnded(restore, () =>
      placeOf(restore.metadata, restore.status?.resolved?.repository ?? restore.spec.repository),
    ),
  [BY_BACKUP]: (restore: Restore) =>
    unlessEnded(restore, () => sourceKey(restore, restore.spec.source.backupRef)),
  [BY_CONFIG]: (restore: Restore) =>
    unlessEnded(restore, () => sourceKey(restore, restore.spec.source.fromConfig)),
  [BY_CLAIM]: (restore: Restore) =>
    unlessEnded(restore, () => {
      const { pvc, pvcRef } = restore.spec.target ?? {};
      return inside(restore.metadata, pvc?.name ?? pvcRef?.name);
    }),
  [BY_NAMESPACE]: (restore: Restore) => unlessEnded(restore, () => restore.metadata.namespace ?? ""),
};

/** One without a target never ends: another claim may name it. */
function unlessEnded(restore: Restore, value: () => string): readonly string[] {
  return restore.spec.target === undefined ? [value()] : open(restore, value);
}

function sourceKey(
  { metadata }: Pick<KubeObject, "metadata">,
  ref: { readonly name: string; readonly namespace?: string } | undefined,
): string {
  return keyOf({ namespace: ref?.namespace ?? metadata.namespace, name: ref?.name ?? "" });
}

/** The key of the Restore that a claim wants to be born from. */
export function dataSource({ metadata, spec }: Claim): readonly ObjectKey[] {
  const { apiGroup, kind, name, namespace = metadata.namespace } = spec?.dataSourceRef ?? {};
  const here = namespace === metadata.namespace;
  const ours = here && apiGroup === restoreResource.group && kind === restoreResource.kind && name;
  return ours ? [keyOf({ namespace: metadata.namespace, name })] : [];
}

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

/** The key of the repository that an object refers to, where it refers to one. */
function placeOf({ namespace = "" }: { readonly namespace?: string }, ref?: RepositoryRef): string {
  return ref ? repositoryKey(ref, namespace) : "";
}
