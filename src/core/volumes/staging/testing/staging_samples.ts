import type { Pod } from "../../../../kube/builtin.ts";
import type { KubeObject, ObjectMeta } from "../../../../kube/object.ts";
import type { Claim } from "../../claim_request.ts";
import { groupKinds, type VolumeGroupSnapshot } from "../group_snapshot_kinds.ts";
import type {
  ObservedGroup,
  ObservedSource,
  SnapshotOffer,
  StorageClass,
  Volume,
} from "../observed_staging.ts";
import type { VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from "../snapshot_kinds.ts";
import { groupName, STAGED_FOR, STAGED_OF, stagedName } from "../staged_marks.ts";
import type { StagingOwner, StagingRequest } from "../staging_request.ts";

export const NOW = Date.UTC(2026, 0, 1);
export const DRIVER = "disk.example.com";
export const source = { namespace: "shop", name: "data" };

export const owner: StagingOwner = {
  namespace: "shop",
  reference: { apiVersion: "example.com/v1", kind: "Keeper", name: "nightly", uid: "owner-1" },
};

export function request(changes: Partial<StagingRequest> = {}): StagingRequest {
  return { method: "Snapshot", owner, source, deadline: NOW + 600_000, ...changes };
}

export function object<T extends KubeObject>(
  kind: string,
  metadata: Partial<ObjectMeta>,
  rest: Omit<T, keyof KubeObject>,
): T {
  const whole = {
    name: "",
    uid: `uid-of-${metadata.name}`,
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
    ...metadata,
  };
  return { apiVersion: "v1", kind, metadata: whole, ...rest } as T;
}

type Spec = NonNullable<Claim["spec"]>;

export function claim(
  spec: Partial<Spec> = {},
  status: NonNullable<Claim["status"]> = { phase: "Bound", capacity: { storage: "10Gi" } },
  metadata: Partial<ObjectMeta> = {},
): Claim {
  return object<Claim>(
    "PersistentVolumeClaim",
    { ...source, ...metadata },
    {
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "8Gi" } },
        storageClassName: "fast",
        volumeName: "pv-data",
        ...spec,
      },
      status,
    },
  );
}

export function volume(spec: NonNullable<Volume["spec"]> = {}, name = "pv-data"): Volume {
  const csi = { driver: DRIVER, volumeHandle: name };
  return object<Volume>("PersistentVolume", { name }, { spec: { csi, ...spec } });
}

/** A volume of no CSI driver. */
export const nfsVolume: Volume = object<Volume>(
  "PersistentVolume",
  { name: "pv-data" },
  { spec: { nfs: { server: "nas", path: "/" } } },
);

export function storageClass(changes: Partial<StorageClass> = {}): StorageClass {
  return object<StorageClass>(
    "StorageClass",
    { name: "fast" },
    { provisioner: DRIVER, volumeBindingMode: "Immediate", reclaimPolicy: "Delete", ...changes },
  );
}

export function snapshotClass(
  name: string,
  changes: Partial<VolumeSnapshotClass> = {},
  isDefault = false,
): VolumeSnapshotClass {
  const annotations = { "snapshot.storage.kubernetes.io/is-default-class": String(isDefault) };
  return object<VolumeSnapshotClass>(
    "VolumeSnapshotClass",
    { name, annotations },
    { driver: DRIVER, deletionPolicy: "Delete", ...changes },
  );
}

export const offer: SnapshotOffer = { served: true, classes: [snapshotClass("daily")] };

export function observed(changes: Partial<ObservedSource> = {}): ObservedSource {
  return {
    source,
    claim: claim(),
    volume: volume(),
    storageClass: storageClass(),
    pods: [],
    nodes: [],
    staged: {},
    ...changes,
  };
}

const marks = (of?: string): Pick<ObjectMeta, "labels" | "annotations"> => ({
  labels: { [STAGED_FOR]: "owner-1" },
  annotations: { [STAGED_FOR]: "example.com/v1 Keeper shop/nightly", ...(of ? { [STAGED_OF]: of } : {}) },
});

export function snapshot(
  status?: VolumeSnapshot["status"],
  metadata: Partial<ObjectMeta> = {},
): VolumeSnapshot {
  const name = stagedName(owner, source, "snapshot");
  return object<VolumeSnapshot>(
    "VolumeSnapshot",
    { namespace: "shop", name, uid: "snapshot-1", ...marks("data"), ...metadata },
    { spec: { source: { persistentVolumeClaimName: "data" } }, ...(status ? { status } : {}) },
  );
}

export const readySnapshot = (metadata: Partial<ObjectMeta> = {}): VolumeSnapshot =>
  snapshot({ readyToUse: true, creationTime: "2026-01-01T00:00:05Z", restoreSize: "12Gi" }, metadata);

export function content(deletionPolicy: "Delete" | "Retain", uid = "snapshot-1"): VolumeSnapshotContent {
  return object<VolumeSnapshotContent>(
    "VolumeSnapshotContent",
    { name: `snapcontent-${uid}` },
    { spec: { source: {}, deletionPolicy, driver: DRIVER, volumeSnapshotRef: { namespace: "shop", uid } } },
  );
}

/** The copy of the source, as it is stored. */
export function copy(phase = "Bound", metadata: Partial<ObjectMeta> = {}): Claim {
  const dataSource = { kind: "PersistentVolumeClaim", name: "data" };
  const name = stagedName(owner, source, "copy");
  return claim(
    { volumeName: "pv-copy", dataSource },
    { phase },
    { name, uid: "copy-1", ...marks("data"), ...metadata },
  );
}

export function copyVolume(policy: "Delete" | "Retain", uid = "copy-1"): Volume {
  return volume({ persistentVolumeReclaimPolicy: policy, claimRef: { uid } }, "pv-copy");
}

export function pod(name: string, changes: Partial<Pod> = {}): Pod {
  return object<Pod>(
    "Pod",
    { namespace: "shop", name, ...changes.metadata },
    {
      spec: { containers: [], nodeName: "node-1", ...changes.spec },
      status: changes.status ?? { phase: "Running" },
    },
  );
}

export const kinds = groupKinds("v1beta1");

export function groupSnapshot(
  status?: VolumeGroupSnapshot["status"],
  metadata: Partial<ObjectMeta> = {},
): VolumeGroupSnapshot {
  return object<VolumeGroupSnapshot>(
    "VolumeGroupSnapshot",
    { namespace: "shop", name: groupName(owner), uid: "group-1", ...marks(), ...metadata },
    { spec: { source: {} }, ...(status ? { status } : {}) },
  );
}

export function group(changes: Partial<ObservedGroup> = {}): ObservedGroup {
  return { kinds, classes: [snapshotClass("together")], members: [], ...changes };
}
