import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";

const pvc = z
  .object({
    name: v.objectName().describe("Name of the new PVC."),
    storageClassName: v.objectName().describe("Its storage class. Default: the cluster's.").optional(),
    capacity: v.quantity().describe("Its size."),
    accessModes: v
      .listSet(z.enum(["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"]), 4)
      .min(1)
      .default(["ReadWriteOnce"])
      .describe("Its access modes."),
    labels: v.labels().describe("Its labels.").optional(),
    annotations: v.annotations().describe("Its annotations.").optional(),
  })
  .describe(
    "A new PVC, created for this Restore. No pod can mount it before all data is in it. An operator that is installed for one namespace cannot guarantee that, and begins when no pod waits for the PVC.",
  );

const pvcRef = z
  .object({
    name: v.objectName().describe("Name of the PVC."),
    scaleDownWorkloads: z
      .boolean()
      .default(false)
      .describe(
        "First scale down the workloads that use the volume, and scale them up afterwards; see onFailure. Otherwise the Restore waits while a pod uses the volume.",
      ),
    backupFirst: z
      .boolean()
      .describe(
        "First back up the volume with the BackupConfig that backs it up, and write only if that succeeds. status.safetyBackup names the Backup; holdfast restore --undo goes back to it. Default: where files are overwritten and a BackupConfig that is ready backs the volume up. false: never.",
      )
      .optional(),
    onFailure: z
      .enum(["StayDown", "ScaleUp"])
      .default("StayDown")
      .describe(
        "What to do with these workloads if the Restore fails after it began to write, so that the volume holds a part of the old and a part of the restored data. StayDown: they come back when a later Restore into the volume completes, or this one is deleted. ScaleUp: they come back at once.",
      ),
  })
  .describe("An existing PVC.");

/** Where the data goes. */
export const restoreTarget = () =>
  v
    .oneOf({ pvc, pvcRef })
    .describe(
      "Where the data goes: exactly one. Without it, the Restore populates PVCs that name it in their dataSourceRef.",
    );
