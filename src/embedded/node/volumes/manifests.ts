import { DEFAULT_CLASS, DEFAULT_SNAPSHOT_CLASS, DRIVER } from "./names.ts";

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
