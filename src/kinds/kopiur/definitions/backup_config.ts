import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { GROUP, VERSION } from "../group.ts";
import { backupConfigStatus } from "./backup_config_status.ts";
import { AGE, KIND_NAMES, PHASE, REASON } from "./columns.ts";
import { DELETION_POLICY, deletionPolicy } from "./deletion_policy.ts";
import { enginePolicy } from "./engine_policy.ts";
import { failurePolicy } from "./failure_policy.ts";
import { hooks } from "./hooks.ts";
import { mover } from "./mover.ts";
import { repositoryRef } from "./references.ts";
import { retention } from "./retention.ts";
import { allowedNamespaces } from "./selectors.ts";
import { sources } from "./sources.ts";
import { identityPart } from "./words.ts";

const staging = z
  .object({
    timeout: v.duration().default("10m").describe("How long a copy of a volume may take to become ready."),
    storageClassName: v
      .objectName()
      .describe("Storage class of the copy. Default: the volume's own.")
      .optional(),
    accessModes: v
      .listSet(z.enum(["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"]), 4)
      .describe("Access modes of the copy. Default: the volume's own.")
      .optional(),
  })
  .prefault({})
  .describe("The copy of a volume that a mover reads, with copyMethod Snapshot or Clone.");

const spec = z.object({
  repository: repositoryRef().describe("The repository that stores the snapshots."),
  identity: z
    .object({
      username: identityPart().describe("User name. Default: the name of this object.").optional(),
      hostname: identityPart().describe("Host name. Default: this namespace.").optional(),
    })
    .describe(
      "Identity under which the engine records the snapshots. Holdfast pins it, with the path of each PVC, when it first resolves it. A later change needs an acknowledgement.",
    )
    .optional(),
  sources: sources().describe("The volumes to back up: at most 16. One Backup holds all of them."),
  copyMethod: z
    .enum(["Snapshot", "Clone", "Direct"])
    .default("Snapshot")
    .describe("What the mover reads: a volume snapshot, a clone, or the volume itself while it is in use."),
  volumeSnapshotClassName: v
    .objectName()
    .describe("Class of the volume snapshots. Default: the driver's own.")
    .optional(),
  groupBy: z
    .enum(["VolumeGroupSnapshot", "None"])
    .default("VolumeGroupSnapshot")
    .describe(
      "How to capture several volumes. VolumeGroupSnapshot: at one moment; if the driver cannot, the BackupConfig fails. None: each at its own moment.",
    ),
  volumeGroupSnapshotClassName: v
    .objectName()
    .describe("Class of the group snapshots. Default: the driver's own.")
    .optional(),
  staging,
  retention: retention()
    .describe(
      "Which successful scheduled Backups to keep. Default: all. Days follow the time zone of the schedule.",
    )
    .optional(),
  defaultDeletionPolicy: deletionPolicy()
    .default("Delete")
    .describe(`For Backups that have no deletionPolicy of their own. ${DELETION_POLICY}`),
  policy: enginePolicy().prefault({}).describe("What to store of the volumes, and how."),
  hooks: hooks().describe("Hooks that run around the snapshot. A failed hook ends the backup.").optional(),
  mover: mover().describe("The pods that move the data.").optional(),
  failurePolicy: failurePolicy({ backoffLimit: 2, activeDeadlineSeconds: 7200 }).describe(
    "For Backups that have no failurePolicy of their own.",
  ),
  allowedNamespaces: allowedNamespaces()
    .describe(
      "Other namespaces whose Backups and Restores may use this BackupConfig: exactly one way to name them.",
    )
    .optional(),
});

export const backupConfig = defineKind({
  ...KIND_NAMES,
  group: GROUP,
  version: VERSION,
  kind: "BackupConfig",
  plural: "backupconfigs",
  shortNames: ["kopiabc"],
  scope: "Namespaced",
  description: "Which volumes to back up, where to, and how. A Backup or a BackupSchedule runs it.",
  spec: spec.describe("What to back up, where to, and how."),
  status: backupConfigStatus,
  printerColumns: [
    PHASE,
    { name: "Repository", type: "string", jsonPath: ".spec.repository.name" },
    { name: "Kept", type: "integer", jsonPath: ".status.retention.activeBackupCount" },
    { name: "Last-Success", type: "date", jsonPath: ".status.lastSuccessfulBackup.at" },
    { name: "Username", type: "string", jsonPath: ".status.resolved.identity.username", priority: 1 },
    { name: "Hostname", type: "string", jsonPath: ".status.resolved.identity.hostname", priority: 1 },
    REASON,
    AGE,
  ],
});
