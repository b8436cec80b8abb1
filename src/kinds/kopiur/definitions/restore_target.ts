import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";

const pvc = z
  .object({
    name: v.objectName().describe("Name of the new claim."),
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
    "A new claim, made for this Restore alone. Nothing can mount it before its data is in it; an operator that is installed for one namespace cannot see to that, and begins when no pod waits for the claim.",
  );

const pvcRef = z
  .object({
    name: v.objectName().describe("Name of the claim."),
    scaleDownWorkloads: z
      .boolean()
      .default(false)
      .describe(
        "Scale what uses the volume down first, and back up afterwards, whether it succeeded or not. Otherwise a volume in use is refused.",
      ),
  })
  .describe("A claim that is there already, in place.");

/** Where the data goes. */
export const restoreTarget = () =>
  v
    .oneOf({ pvc, pvcRef })
    .describe(
      "Where the data goes: exactly one. Left out, the Restore waits for claims that name it in dataSourceRef.",
    );
