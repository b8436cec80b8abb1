/** The name of the driver: of what provisions volumes, and of what takes snapshots of them. */
export const DRIVER = "local.holdfast";

export const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";
export const DEFAULT_SNAPSHOT_CLASS = "snapshot.storage.kubernetes.io/is-default-class";

/** On a claim: where its first consumer goes. */
export const SELECTED_NODE = "volume.kubernetes.io/selected-node";
export const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
export const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
export const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
export const STORAGE_PROVISIONERS = [
  "volume.beta.kubernetes.io/storage-provisioner",
  "volume.kubernetes.io/storage-provisioner",
] as const;

export const CLAIM_PROTECTION = "kubernetes.io/pvc-protection";
export const VOLUME_PROTECTION = "kubernetes.io/pv-protection";
/** On a volume of ours: its folder is still there. */
export const PROVISIONER_FINALIZER = "external-provisioner.volume.kubernetes.io/finalizer";
/** On the content of a snapshot: its data is still there. */
export const CONTENT_BOUND = "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection";

const CLASS = { provisioner: DRIVER, reclaimPolicy: "Delete", allowVolumeExpansion: true } as const;

/** The class of claims that name none: its volumes are made at once. */
export const localClass = {
  metadata: { name: "holdfast-local", annotations: { [DEFAULT_CLASS]: "true" } },
  volumeBindingMode: "Immediate",
  ...CLASS,
} as const;

/** Its volumes are made when a pod first wants them. */
export const waitingClass = {
  metadata: { name: "holdfast-local-wait" },
  volumeBindingMode: "WaitForFirstConsumer",
  ...CLASS,
} as const;

export const snapshotClass = {
  metadata: { name: "holdfast-local", annotations: { [DEFAULT_SNAPSHOT_CLASS]: "true" } },
  driver: DRIVER,
  deletionPolicy: "Delete",
} as const;

export const driver = {
  metadata: { name: DRIVER },
  spec: { attachRequired: false, podInfoOnMount: false, volumeLifecycleModes: ["Persistent"] },
};
