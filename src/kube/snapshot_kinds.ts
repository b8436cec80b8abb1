import type { KubeObject } from "./object.ts";
import type { Resource } from "./resource.ts";

/** The fields of snapshots that are read or written here. */
export interface VolumeSnapshot extends KubeObject {
  readonly spec: {
    readonly source: {
      readonly persistentVolumeClaimName?: string;
      readonly volumeSnapshotContentName?: string;
    };
    readonly volumeSnapshotClassName?: string;
  };
  readonly status?: {
    readonly boundVolumeSnapshotContentName?: string;
    readonly creationTime?: string;
    readonly readyToUse?: boolean;
    readonly restoreSize?: string;
    readonly error?: SnapshotError;
  };
}

/** In the words of the driver. */
export interface SnapshotError {
  readonly message?: string;
  readonly time?: string;
}

export type DeletionPolicy = "Delete" | "Retain";

export interface VolumeSnapshotContent extends KubeObject {
  readonly spec: {
    readonly deletionPolicy: DeletionPolicy;
    readonly driver: string;
    readonly source: { readonly volumeHandle?: string; readonly snapshotHandle?: string };
    readonly sourceVolumeMode?: string;
    readonly volumeSnapshotClassName?: string;
    readonly volumeSnapshotRef: SnapshotRef;
  };
  readonly status?: {
    readonly snapshotHandle?: string;
    /** Nanoseconds since 1970. */
    readonly creationTime?: number;
    readonly readyToUse?: boolean;
    /** Bytes. */
    readonly restoreSize?: number;
    readonly error?: SnapshotError;
  };
}

/** How a content names what it is the content of. */
export interface SnapshotRef {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface VolumeSnapshotClass extends KubeObject {
  readonly driver: string;
  readonly deletionPolicy: DeletionPolicy;
}

const SNAPSHOTS = { group: "snapshot.storage.k8s.io", version: "v1" } as const;

export const VolumeSnapshots: Resource<VolumeSnapshot> = {
  ...SNAPSHOTS,
  kind: "VolumeSnapshot",
  plural: "volumesnapshots",
  namespaced: true,
};

export const VolumeSnapshotContents: Resource<VolumeSnapshotContent> = {
  ...SNAPSHOTS,
  kind: "VolumeSnapshotContent",
  plural: "volumesnapshotcontents",
  namespaced: false,
};

export const VolumeSnapshotClasses: Resource<VolumeSnapshotClass> = {
  ...SNAPSHOTS,
  kind: "VolumeSnapshotClass",
  plural: "volumesnapshotclasses",
  namespaced: false,
};
