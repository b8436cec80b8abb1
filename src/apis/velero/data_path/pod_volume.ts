import type { RunRecord } from "../../../core/work/run_record.ts";
import type {
  PodVolumeBackup,
  PodVolumeBackupStatus,
} from "../../../kinds/velero/generated/pod_volume_backup.ts";
import type {
  PodVolumeRestore,
  PodVolumeRestoreStatus,
} from "../../../kinds/velero/generated/pod_volume_restore.ts";
import { isRecord } from "../../../lib/json.ts";
import type { RepositoryType } from "../repository/storage_of.ts";

/** The backup or the restore of one volume of a pod. */
export type PodVolume = PodVolumeBackup | PodVolumeRestore;

export type PodVolumeStatus = PodVolumeBackupStatus & PodVolumeRestoreStatus;

export function isBackup(object: PodVolume): object is PodVolumeBackup {
  return !("snapshotID" in object.spec);
}

/** A restore of what restic stored, in the way from before movers had pods of their own. */
export function isLegacy({ spec }: PodVolume): boolean {
  return spec.uploaderType === "restic";
}

/** Which program's repository its data is in. */
export function repositoryTypeOf(object: PodVolume): RepositoryType {
  return isLegacy(object) ? "restic" : "kopia";
}

/**
 * What is remembered between two looks at an object. Its CRD may be of a Velero server, which knows no such field in the
 * status: so it is in an annotation, written together with the status.
 */
export interface Memory {
  /** Where its volume is, from when it was accepted: its pod may be gone when its run has to be looked at. */
  readonly exposed?: Exposed;
  readonly run?: RunRecord;
  /** ISO 8601. When the run was first told to end. */
  readonly cancelingSince?: string;
  /** ISO 8601. Since when its run cannot be looked at. */
  readonly strandedSince?: string;
  /** ISO 8601. When the progress in the status was written. */
  readonly progressAt?: string;
  /** The message that we last wrote: another one is of a Velero server, or of a person. */
  readonly said?: string;
}

/** A volume of a pod, as a mover is given it. */
export interface Exposed {
  readonly node: string;
  readonly hostPath: string;
  /** It is emptied when its pod goes. Default false. */
  readonly goesWithPod?: true;
  /** The PVC that it is of: once that is gone, the volume may be deleted, also from under a mover. Default: none. */
  readonly claim?: { readonly name: string; readonly uid: string };
}

export const MEMORY_ANNOTATION = "holdfast.dev/data-path";

export function memoryOf({ metadata }: PodVolume): Memory {
  const text = metadata.annotations?.[MEMORY_ANNOTATION];
  if (text === undefined) return {};
  try {
    const memory: unknown = JSON.parse(text);
    return isRecord(memory) ? memory : {};
  } catch {
    // Somebody else wrote it. A Job that is there is found by its name.
    return {};
  }
}
