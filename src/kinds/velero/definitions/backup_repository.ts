import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { GROUP, VERSION } from "../group.ts";
import { REPOSITORY_PHASES } from "../phases.ts";
import { message, moment, name, settings, text } from "./words.ts";

const maintenanceRun = z.object({
  result: z.enum(["Succeeded", "Failed"]).describe("How the maintenance ended.").optional(),
  startTimestamp: moment().describe("When it started."),
  completeTimestamp: moment().describe("When it ended."),
  message: message().describe("Why it failed."),
});

export const backupRepository = defineKind({
  group: GROUP,
  version: VERSION,
  kind: "BackupRepository",
  plural: "backuprepositories",
  scope: "Namespaced",
  statusSubresource: false,
  description: "The repository that holds the volumes of one namespace in one BackupStorageLocation.",
  spec: z
    .object({
      backupStorageLocation: name().describe("The BackupStorageLocation that the repository is in."),
      maintenanceFrequency: v.duration().describe("How often the Velero server maintains the repository."),
      repositoryConfig: settings().nullable().describe("Settings of the repository.").optional(),
      repositoryType: z
        .enum(["kopia", "restic", ""])
        .describe("Which program the repository is of.")
        .optional(),
      resticIdentifier: text(4096).describe("Address of a restic repository.").optional(),
      volumeNamespace: name().describe("The namespace whose volumes the repository holds."),
    })
    .describe("Where the repository is."),
  status: z
    .object({
      lastMaintenanceTime: moment().describe("When it was last maintained."),
      message: message().describe("Why it is not ready."),
      phase: z.enum(REPOSITORY_PHASES).describe("Whether backups can use it.").optional(),
      recentMaintenance: z.array(maintenanceRun).max(25).describe("The newest maintenance runs.").optional(),
    })
    .describe("Whether the repository can be used."),
  printerColumns: [
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    { name: "Repository Type", type: "string", jsonPath: ".spec.repositoryType" },
    { name: "Status", type: "string", jsonPath: ".status.phase" },
  ],
});
