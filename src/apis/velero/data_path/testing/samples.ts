import type { PodVolumeBackup } from "../../../../kinds/velero/generated/pod_volume_backup.ts";
import type { PodVolumeRestore } from "../../../../kinds/velero/generated/pod_volume_restore.ts";
import { API_VERSION } from "../../../../kinds/velero/group.ts";
import { PVC_NAME_ANNOTATION } from "../../../../kinds/velero/labels.ts";

const metadata = {
  namespace: "velero",
  uid: "u1",
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T11:00:00Z",
};
const pod = { kind: "Pod", namespace: "shop", name: "web-0", uid: "p1" };

/** As a Velero server creates one. */
export const sampleBackup: PodVolumeBackup = {
  apiVersion: API_VERSION,
  kind: "PodVolumeBackup",
  metadata: { ...metadata, name: "nightly-x1", annotations: { [PVC_NAME_ANNOTATION]: "data-web-0" } },
  spec: {
    backupStorageLocation: "default",
    node: "n1",
    pod,
    repoIdentifier: "",
    uploaderType: "kopia",
    volume: "data",
  },
};

export const sampleRestore: PodVolumeRestore = {
  apiVersion: API_VERSION,
  kind: "PodVolumeRestore",
  metadata: {
    ...metadata,
    name: "back-x1",
    ownerReferences: [
      { apiVersion: API_VERSION, kind: "Restore", name: "back", uid: "restore-uid", controller: true },
    ],
  },
  spec: {
    backupStorageLocation: "default",
    pod,
    repoIdentifier: "",
    snapshotID: "abc",
    sourceNamespace: "shop",
    uploaderType: "kopia",
    volume: "data",
  },
};
