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
    timeout: v.duration().default("10m").describe("How long a copy of a volume may take to be ready."),
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
  repository: repositoryRef().describe("Where the snapshots go."),
  identity: z
    .object({
      username: identityPart().describe("User name. Default: the name of this object.").optional(),
      hostname: identityPart().describe("Host name. Default: this namespace.").optional(),
    })
    .describe(
      "Under which identity the snapshots are recorded. It is pinned when it is first resolved, with the path of each claim: changing it later must be acknowledged.",
    )
    .optional(),
  sources: sources().describe("The volumes to back up: at most 16 in all, which together are one Backup."),
  copyMethod: z
    .enum(["Snapshot", "Clone", "Direct"])
    .default("Snapshot")
    .describe("What a mover reads: a volume snapshot, a clone, or the volume itself while it is in use."),
  volumeSnapshotClassName: v
    .objectName()
    .describe("Class of the volume snapshots. Default: the driver's own.")
    .optional(),
  groupBy: z
    .enum(["VolumeGroupSnapshot", "None"])
    .default("VolumeGroupSnapshot")
    .describe(
      "How several volumes are captured: at one moment, or refused where the driver cannot. None: each at its own moment.",
    ),
  volumeGroupSnapshotClassName: v
    .objectName()
    .describe("Class of the group snapshots. Default: the driver's own.")
    .optional(),
  staging,
  retention: retention()
    .describe("Which successful backups of schedules are kept. Without it, all are. Days are the schedule's.")
    .optional(),
  defaultDeletionPolicy: deletionPolicy()
    .default("Delete")
    .describe(`For Backups that have no deletionPolicy of their own. ${DELETION_POLICY}`),
  policy: enginePolicy().prefault({}).describe("What of the volumes is stored, and how."),
  hooks: hooks().describe("What happens around the snapshot. A hook that fails ends the backup.").optional(),
  mover: mover().describe("The pods that move the data.").optional(),
  failurePolicy: failurePolicy({ backoffLimit: 2, activeDeadlineSeconds: 7200 }).describe(
    "For Backups that have no failurePolicy of their own.",
  ),
  allowedNamespaces: allowedNamespaces()
    .describe(
      "Other namespaces whose Backups and Restores may use this recipe: exactly one way to name them.",
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
  description: "A recipe: which volumes are backed up, where to, and how. It runs nothing by itself.",
  spec: spec.describe("What is backed up, where to, and how."),
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
