import { PRIVILEGED } from "../../../core/repository/mover_user.ts";
import type { MoverSettings } from "../../../core/work/mover_settings.ts";
import { volumePath } from "../../../core/work/mover_volumes.ts";
import type { RunTask } from "../../../core/work/run_request.ts";
import type { Settings } from "../../../core/work/settings.ts";
import type { BackupRepository } from "../../../kinds/velero/generated/backup_repository.ts";
import {
  type PodVolumeBackup,
  podVolumeBackupResource,
} from "../../../kinds/velero/generated/pod_volume_backup.ts";
import {
  type PodVolumeRestore,
  podVolumeRestoreResource,
} from "../../../kinds/velero/generated/pod_volume_restore.ts";
import { LABELS, PVC_NAME_ANNOTATION } from "../../../kinds/velero/labels.ts";
import { Jobs } from "../../../kube/builtin.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { ownerReference } from "../../../kube/write/owners.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { labelValue } from "../../../lib/names.ts";
import type { Identity } from "../../../wire/identity.ts";
import { podVolumeArgs } from "../../../wire/pod_volume_args.ts";
import type { CacheLimits, Work } from "../../../wire/work.ts";
import { mountedOver } from "../host_path.ts";
import type { NodeAgentConfig } from "../node_agent_config.ts";
import type { Storage } from "../repository/storage_of.ts";
import type { VeleroSettings } from "../velero_settings.ts";
import type { Inherited } from "./inherited.ts";
import { type Exposed, isBackup, isLegacy, type PodVolume, repositoryTypeOf } from "./pod_volume.ts";

/** What the run of an object is made from. */
export interface PodVolumeRun {
  readonly object: PodVolume;
  readonly exposed: Exposed;
  readonly storage: Storage;
  readonly repository: BackupRepository | undefined;
  readonly config: NodeAgentConfig;
  readonly inherited: Inherited;
  readonly settings: Settings;
  /** Of a backup. Default: what Velero keeps. */
  readonly fidelity?: VeleroSettings["fidelity"];
}

/** The Secret with the password of all of Velero's repositories. */
export const PASSWORD = { secret: "velero-repo-credentials", key: "repository-password" } as const;

/** How long what a mover needs may take to be there. */
export const RESOURCE_TIMEOUT = 10 * 60_000;
export const DATA_PATH = "data-path";
const VOLUME = "volume";
/** Where the mover sees the volume. */
export const VOLUME_PATH = volumePath(VOLUME);

/** The run that backs a volume up, or restores it. */
export function podVolumeTask({
  object,
  exposed,
  storage,
  repository,
  config,
  inherited,
  settings,
  fidelity,
}: PodVolumeRun): RunTask {
  const { namespace = "", name } = object.metadata;
  const backup = isBackup(object);
  const label = backup ? LABELS.podVolumeBackup : LABELS.podVolumeRestore;
  const resource: Resource = backup ? podVolumeBackupResource : podVolumeRestoreResource;
  const cache = cacheOf(repository);
  return {
    purpose: DATA_PATH,
    namespace,
    pool: nodePool(exposed.node),
    owner: ownerOf(resource, object),
    labels: { [label]: labelValue(name) },
    work: {
      engine: repositoryTypeOf(object),
      repository: { backend: storage.backend, ...(cache ? { cache } : {}) },
      work: isBackup(object) ? backupWork(object, exposed, fidelity) : restoreWork(object, exposed),
    },
    secrets: { password: PASSWORD, credentials: storage.credentials },
    hostVolume: { name: VOLUME, hostPath: exposed.hostPath, readOnly: backup },
    mover: { ...moverOf(config, inherited, settings), nodeName: exposed.node },
    args: podVolumeArgs({
      direction: backup ? "backup" : "restore",
      volumePath: VOLUME_PATH,
      name,
      resourceTimeoutSeconds: RESOURCE_TIMEOUT / 1000,
      logFormat: "json",
      logLevel: settings.moverDebug ? "debug" : "info",
    }),
    ...(isLegacy(object) ? {} : { startsBySignal: true }),
  };
}

/** Runs on one node share its slots, whichever repositories they work on. */
export function nodePool(node: string): string {
  return `node-${fingerprint(node, 16)}`;
}

export function ownerOf(resource: Resource, object: KubeObject): RunTask["owner"] {
  const { namespace } = object.metadata;
  return ownerReference({
    owner: { resource, object },
    dependent: { resource: Jobs, namespace },
    blockOwnerDeletion: false,
  });
}

/**
 * Several movers share the node of the pods that they work for. With this, kopia needs about 100 MB less than the movers
 * of other APIs let it have, and no more processor time that could be measured.
 */
const ENGINE_ENV = { GOGC: "50" } as const;

/** A pod that reads every file and gives it back its owner is root; what else it may do is a setting. */
export function moverOf(
  config: NodeAgentConfig,
  { securityContext, env, ...inherited }: Inherited,
  settings: Settings,
): MoverSettings {
  // Without a scheduler a kubelet refuses what its node has no room for: so nothing is requested, as by Velero's movers.
  const {
    resources = {},
    priorityClassName,
    privileged,
    podLabels: labels,
    podAnnotations: annotations,
  } = config;
  const { moverImage: image, imagePullPolicy } = settings;
  return {
    ...inherited,
    env: { ...ENGINE_ENV, ...env },
    image,
    ...(imagePullPolicy ? { imagePullPolicy } : {}),
    securityContext: { ...PRIVILEGED, ...securityContext, ...(privileged ? { privileged: true } : {}) },
    resources,
    ...(priorityClassName ? { priorityClassName } : {}),
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
  };
}

/** What Velero's own movers call the source: so each finds the other's last snapshot of the volume. */
export function identityOf({ metadata, spec }: PodVolumeBackup): Identity {
  const volume = metadata.annotations?.[PVC_NAME_ANNOTATION] || spec.volume;
  const path = `snapshot-pod-volume/kopia/${spec.pod.namespace}/${spec.pod.name}/${volume}`;
  return { username: "default", hostname: "default", path };
}

const LIKE_VELERO = {
  compression: { compressor: "none" },
  unreadable: "Fail",
  extraArgs: ["--pin=velero-pin"],
} as const;

/** Files as Velero reads them: what the data itself excludes is excluded, and counted. */
const FILES_LIKE_VELERO = {
  fidelity: "Engine",
  ignore: { files: [".kopiaignore"], cacheDirs: true, counted: true },
} as const;

function backupWork(backup: PodVolumeBackup, exposed: Exposed, fidelity: PodVolumeRun["fidelity"]): Work {
  const source = { name: VOLUME, path: VOLUME_PATH, identity: identityOf(backup), ...mountOf(exposed) };
  return {
    snapshot: {
      ...LIKE_VELERO,
      ...(fidelity === "Full" ? { fidelity } : FILES_LIKE_VELERO),
      ...parallelOf(backup.spec.uploaderSettings?.ParallelFilesUpload),
      sources: [source],
    },
  };
}

/** After a reboot of the node a pod is said to run while its volume is not mounted yet: only the mover sees that. */
function mountOf({ hostPath }: Exposed): { readonly mountedOver?: string } {
  const over = mountedOver(hostPath);
  return over === undefined ? {} : { mountedOver: over };
}

function restoreWork(restore: PodVolumeRestore, exposed: Exposed): Work {
  const { snapshotID: id, uploaderSettings } = restore.spec;
  const doneFile = doneFileOf(restore);
  return {
    restore: {
      snapshot: { id },
      target: VOLUME_PATH,
      ...mountOf(exposed),
      existing: "Overwrite",
      sparse: uploaderSettings?.WriteSparseFiles === "true",
      ...parallelOf(uploaderSettings?.ParallelFilesDownload),
      ...(doneFile ? { doneFile } : {}),
    },
  };
}

/** The init container of the pod waits for a file that is named after the restore. */
export function doneFileOf({ metadata }: PodVolumeRestore): string | undefined {
  const uid = metadata.ownerReferences?.[0]?.uid ?? metadata.labels?.[LABELS.restoreUID];
  return uid === undefined ? undefined : `.velero/${uid}`;
}

function parallelOf(value: string | undefined): { readonly parallel?: number } {
  const parallel = Number(value);
  return Number.isInteger(parallel) && parallel > 0 && parallel <= 1024 ? { parallel } : {};
}

const MB = 1_000_000;

/** Velero gives four fifths of the cache to the content of files. */
function cacheOf(repository: BackupRepository | undefined): CacheLimits | undefined {
  const limit = Number(repository?.spec.repositoryConfig?.cacheLimitMB);
  if (!(limit > 0)) return undefined;
  return { contentBytes: Math.floor(limit * 0.8) * MB, metadataBytes: Math.floor(limit * 0.2) * MB };
}
