import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { GROUP, VERSION } from "../group.ts";
import { AGE, common, count, KIND_NAMES, namespaceName, PHASE, REASON, state, text } from "./words.ts";

export const resticBackup = defineKind({
  ...KIND_NAMES,
  group: GROUP,
  version: VERSION,
  kind: "ResticBackup",
  plural: "resticbackups",
  scope: "Namespaced",
  description:
    "One backup of a PVC, and its snapshot in a ResticRepository. Deleting it deletes that snapshot.",
  spec: v
    .immutableFields(
      v.setOnce(
        z.object({
          backupName: text(253).describe("Name of the backup, for people.").optional(),
          pvcRef: z
            .object({
              name: v.objectName().describe("Name of the PVC."),
              namespace: namespaceName()
                .describe("Its namespace, which is that of the ResticBackup.")
                .optional(),
            })
            .describe("The PVC."),
          repositoryRef: z
            .object({
              name: v.objectName().describe("Name of the ResticRepository."),
              namespace: namespaceName()
                .describe("Its namespace. Default: that of the ResticBackup.")
                .optional(),
            })
            .describe("The ResticRepository that stores the snapshot."),
          backupType: z.enum(["scheduled", "manual"]).default("manual").describe("Who asked for it."),
          snapshotID: text(128)
            .min(1)
            .describe(
              "ID of the snapshot in the repository. The operator sets it when the backup has completed.",
            )
            .optional(),
          tags: z.array(text(128).min(1)).max(16).describe("Tags of the snapshot.").optional(),
        }),
        "snapshotID",
      ),
      "pvcRef",
      "repositoryRef",
      "backupType",
    )
    .describe("What to back up, and where to."),
  status: z
    .object({
      phase: z.enum(["Pending", "Running", "Completed", "Failed"]).describe("How far it is.").optional(),
      startTime: v.timestamp().describe("When the backup began.").optional(),
      completionTime: v.timestamp().describe("When it ended.").optional(),
      duration: text(32).describe("How long it took.").optional(),
      snapshotID: text(128).describe("ID of the snapshot in the repository.").optional(),
      size: count().describe("Size of the data, in bytes.").optional(),
      displaySize: text(32).describe("The same, to read.").optional(),
      lastVerified: v.timestamp().describe("When the repository last confirmed the snapshot.").optional(),
      error: text(1024).describe("Why it failed, and what to do.").optional(),
      state: state(),
      ...common(),
    })
    .describe("How the backup is."),
  printerColumns: [
    { name: "Backup Name", type: "string", jsonPath: ".spec.backupName" },
    { name: "PVC", type: "string", jsonPath: ".spec.pvcRef.name" },
    PHASE,
    { name: "Snapshot ID", type: "string", jsonPath: ".status.snapshotID" },
    { name: "Size", type: "string", jsonPath: ".status.displaySize" },
    { name: "Repository", type: "string", jsonPath: ".spec.repositoryRef.name" },
    { name: "Duration", type: "string", jsonPath: ".status.duration" },
    REASON,
    AGE,
  ],
});
