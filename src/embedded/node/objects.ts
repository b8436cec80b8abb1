import type { CSIDriver } from "kubernetes-types/storage/v1.d.ts";
import type { PersistentVolumeClaims, PersistentVolumes, StorageClasses } from "../../kube/builtin.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";

type ObjectOf<R> = R extends Resource<infer T> ? T : never;

export type Claim = ObjectOf<typeof PersistentVolumeClaims>;
export type Volume = ObjectOf<typeof PersistentVolumes>;
export type StorageClass = ObjectOf<typeof StorageClasses>;

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
    readonly error?: { readonly message: string; readonly time: string };
  };
}

export interface VolumeSnapshotContent extends KubeObject {
  readonly spec: {
    readonly deletionPolicy: "Delete" | "Retain";
    readonly driver: string;
    readonly source: { readonly volumeHandle?: string; readonly snapshotHandle?: string };
    readonly sourceVolumeMode?: string;
    readonly volumeSnapshotClassName?: string;
    readonly volumeSnapshotRef: {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly namespace?: string;
      readonly name?: string;
      readonly uid?: string;
      readonly resourceVersion?: string;
    };
  };
  readonly status?: {
    readonly snapshotHandle?: string;
    /** Nanoseconds since 1970. */
    readonly creationTime?: number;
    readonly readyToUse?: boolean;
    /** Bytes. */
    readonly restoreSize?: number;
    readonly error?: { readonly message: string; readonly time: string };
  };
}

export interface VolumeSnapshotClass extends KubeObject {
  readonly driver: string;
  readonly deletionPolicy: "Delete" | "Retain";
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

export const CsiDrivers: Resource<KubeObject & Pick<CSIDriver, "spec">> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSIDriver",
  plural: "csidrivers",
  namespaced: false,
};
