import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { STRATEGY_GROUP, VERSION } from "../group.ts";
import { AGE, KIND_NAMES, text } from "./parts.ts";

const repository = z.object({
  kind: z
    .enum(["ClusterRepository", "Repository"])
    .default("ClusterRepository")
    .describe(
      "A ClusterRepository serves all namespaces that it allows. A Repository is one in the namespace of the application.",
    ),
  name: v.objectName().describe("Its name."),
});

const volumes = z.object({
  matchLabels: v
    .stringMap({ maxEntries: 16, maxLength: 1024 })
    .describe("PVCs with these labels belong to the application. Values are templates.")
    .optional(),
  release: text(1024)
    .min(1)
    .describe(
      "PVCs of this Helm release belong to the application, by the label `app.kubernetes.io/instance`. A template. Default, without matchLabels: the name of the application.",
    )
    .optional(),
});

const restore = z
  .object({
    scaleDownWorkloads: z
      .boolean()
      .default(true)
      .describe(
        "Scale down the workloads that use the volumes before data is written, and scale them up afterwards. Otherwise the RestoreJob waits while a pod uses a volume.",
      ),
    deleteOtherFiles: z
      .boolean()
      .default(true)
      .describe("Delete files in an existing volume that the Backup does not hold."),
  })
  .prefault({})
  .describe("How to restore.");

export const volume = defineKind({
  ...KIND_NAMES,
  group: STRATEGY_GROUP,
  version: VERSION,
  kind: "Volume",
  plural: "volumes",
  scope: "Cluster",
  description:
    "Backs up the PVCs of an application as one group, with kopia or restic. PVCs belong to it by owner, by label, by release, or because the application mounts them.",
  spec: z
    .object({
      repository: repository.describe("The repository of the native API that stores the data."),
      volumes: volumes
        .describe("Which PVCs belong to an application, besides those that it owns or mounts.")
        .optional(),
      copyMethod: z
        .enum(["Snapshot", "Clone", "Direct"])
        .default("Snapshot")
        .describe("What is read: a volume snapshot, a clone, or the volume itself while it is in use."),
      groupBy: z
        .enum(["VolumeGroupSnapshot", "None"])
        .default("VolumeGroupSnapshot")
        .describe(
          "How to capture several volumes. VolumeGroupSnapshot: at one moment; if the storage driver cannot, the BackupJob fails. None: each at its own moment.",
        ),
      volumeSnapshotClassName: v
        .objectName()
        .describe("Class of the volume snapshots. Default: the storage driver's own.")
        .optional(),
      volumeGroupSnapshotClassName: v
        .objectName()
        .describe("Class of the group snapshots. Default: the storage driver's own.")
        .optional(),
      deletionPolicy: z
        .enum(["Delete", "Retain"])
        .default("Delete")
        .describe("What becomes of the snapshots in the repository when a Backup is deleted."),
      mover: v
        .opaque()
        .describe("The pods that move the data, as in `spec.mover` of a BackupConfig.")
        .optional(),
      restore,
    })
    .describe("How to back volumes up."),
  printerColumns: [
    { name: "Repository", type: "string", jsonPath: ".spec.repository.name" },
    { name: "Copy", type: "string", jsonPath: ".spec.copyMethod" },
    { name: "Group", type: "string", jsonPath: ".spec.groupBy" },
    AGE,
  ],
});
