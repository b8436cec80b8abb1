import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { GROUP, VERSION } from "../group.ts";
import { AGE, common, count, KIND_NAMES, namespaceName, PHASE, REASON, state, text } from "./words.ts";

const backupTarget = z.object({
  name: text(63).describe("Name of the target, for people.").optional(),
  repository: z
    .object({
      name: v.objectName().describe("Name of the ResticRepository."),
      namespace: namespaceName().describe("Its namespace. Default: that of the ResticRestore.").optional(),
    })
    .describe("The ResticRepository."),
});

export const resticRestore = defineKind({
  ...KIND_NAMES,
  group: GROUP,
  version: VERSION,
  kind: "ResticRestore",
  plural: "resticrestores",
  scope: "Namespaced",
  description: "Restores a snapshot into a PVC, once.",
  spec: v
    .rule(
      v.immutableFields(
        z.object({
          backupName: v.objectName().describe("Name of the ResticBackup to restore.").optional(),
          targetPVC: v.objectName().describe("Name of the PVC that the data is restored into."),
          backupTarget: backupTarget
            .describe(
              "The repository, if no ResticBackup is named: its latest snapshot of the PVC is restored.",
            )
            .optional(),
          fallbackTargets: z
            .array(backupTarget)
            .max(8)
            .describe(
              "Where to look for the latest snapshot of the PVC next, in this order, if the repository before answers that it has none.",
            )
            .optional(),
          snapshotID: text(128)
            .min(1)
            .describe(
              "ID of the snapshot to restore from the backupTarget. Default: the latest one of the PVC.",
            )
            .optional(),
          additionalRestoreArgs: z
            .array(text(1024).regex(/^--i?(include|exclude)=.+$/))
            .max(32)
            .describe("Patterns of files to restore, or to leave out, such as --exclude=*.tmp.")
            .optional(),
          stopPods: z
            .boolean()
            .default(true)
            .describe("Scale the workloads that use the PVC to zero, and back when the restore has ended."),
          onlyIfEmpty: z
            .boolean()
            .default(false)
            .describe("Restore into an empty volume only. Otherwise files of the same name are overwritten."),
          continueWithoutSnapshot: z
            .boolean()
            .default(false)
            .describe(
              "Complete, and leave the volume as it is, if the repository answers that it has no snapshot of the PVC.",
            ),
        }),
        "backupName",
        "targetPVC",
        "backupTarget",
        "snapshotID",
      ),
      {
        rule: "has(self.backupName) || has(self.backupTarget)",
        message: "name a ResticBackup in backupName, or a repository in backupTarget",
      },
    )
    .describe("What to restore, and where to."),
  status: z
    .object({
      phase: z.enum(["Pending", "Running", "Completed", "Failed"]).describe("How far it is.").optional(),
      result: z
        .enum(["Restored", "NoSnapshot"])
        .describe("NoSnapshot: the repository has no snapshot of the PVC, and said so.")
        .optional(),
      startTime: v.timestamp().describe("When the restore began.").optional(),
      completionTime: v.timestamp().describe("When it ended.").optional(),
      duration: text(32).describe("How long it took.").optional(),
      snapshotID: text(128).describe("ID of the snapshot that is restored.").optional(),
      restoredSize: count().describe("Size of the restored data, in bytes.").optional(),
      scaledWorkloads: z
        .array(
          z.object({
            apiVersion: text(253).describe("Its API version.").optional(),
            kind: text(63).describe("Its kind."),
            name: text(253).describe("Its name."),
            replicas: count().describe("Its replicas before."),
          }),
        )
        .max(16)
        .describe("Workloads that are scaled to zero until the restore has ended.")
        .optional(),
      error: text(1024).describe("Why it failed, and what to do.").optional(),
      state: state(),
      ...common(),
    })
    .describe("How the restore is."),
  printerColumns: [
    { name: "Backup", type: "string", jsonPath: ".spec.backupName" },
    { name: "Target PVC", type: "string", jsonPath: ".spec.targetPVC" },
    PHASE,
    { name: "Duration", type: "string", jsonPath: ".status.duration" },
    REASON,
    AGE,
  ],
});
