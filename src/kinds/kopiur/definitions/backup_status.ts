import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { ORIGINS } from "../origins.ts";
import { BACKUP_PHASES } from "../phases.ts";
import { conditions, observedGeneration } from "./conditions.ts";
import { deletionPolicy } from "./deletion_policy.ts";
import { MAX_NAMESPACES, MAX_SOURCES } from "./sources.ts";
import {
  failure,
  fidelity,
  job,
  logTail,
  losses,
  owner,
  recordedIdentity,
  resolvedRepository,
  resolvedSource,
  timing,
  work,
} from "./status_parts.ts";
import { count, foreignIdentityPart, snapshotID, text } from "./words.ts";

const claimSpec = z
  .object({
    capacity: text(64).describe("Its size.").optional(),
    storageClassName: text(253).describe("Its storage class.").optional(),
    accessModes: v
      .listSet(z.enum(["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"]), 4)
      .describe("Its access modes.")
      .optional(),
  })
  .describe(
    "What the PVC was like, for a new one after its loss. Left out where the status has no room for it.",
  );

const snapshot = z.object({
  kopiaSnapshotID: snapshotID().describe("ID of the snapshot in the engine, kopia or restic. It may change."),
  runID: text(64).describe("ID of the run that made it, if another run did.").optional(),
  root: text(128).describe("ID of its content: equal roots mean equal content.").optional(),
  identity: recordedIdentity().describe("Identity under which the engine records it."),
  pvc: text(317).describe("The PVC, as namespace/name.").optional(),
  sizeBytes: count().describe("Bytes of its files.").optional(),
  fidelity: fidelity().optional(),
  unchanged: z
    .boolean()
    .describe("Nothing had changed: this is the snapshot of an earlier Backup.")
    .optional(),
  incomplete: text(256)
    .describe("Why it lacks more of the volume than the backup was allowed to leave out.")
    .optional(),
  owner: owner(),
});

const stats = z.object({
  sizeBytes: count().describe("Bytes of all files.").optional(),
  size: text(16).describe("The same, for people, such as 6.9 MiB.").optional(),
  bytesNew: count().describe("Bytes added to the repository.").optional(),
  filesNew: count()
    .describe(
      "New files. kopia does not tell them from changed ones: there it is known only if there are none.",
    )
    .optional(),
  filesModified: count()
    .describe(
      "Changed files. kopia does not tell them from new ones: there it is known only if there are none.",
    )
    .optional(),
  filesUnchanged: count().describe("Unchanged files.").optional(),
  files: count().describe("All files.").optional(),
  folders: count().describe("All folders.").optional(),
  filesFailed: count().describe("Unreadable files that the backup left out.").optional(),
});

const progress = z.object({
  percent: z.int().min(0).max(100).describe("Progress in percent, if it is known.").optional(),
  files: count().describe("Files done.").optional(),
  bytes: count().describe("Bytes done.").optional(),
  hashedBytes: count().describe("Bytes read.").optional(),
  cachedBytes: count().describe("Bytes reused from an earlier snapshot without reading them.").optional(),
  uploadedBytes: count().describe("Bytes sent to the repository.").optional(),
  estimatedFiles: count().describe("Estimated total of files.").optional(),
  estimatedBytes: count().describe("Estimated total of bytes.").optional(),
  secondsRemaining: count().describe("Estimated seconds until the end.").optional(),
  errors: count().describe("Errors so far.").optional(),
  updatedAt: v.timestamp().describe("When this was updated.").optional(),
});

const hookRun = (when: string) =>
  z
    .object({
      state: z.enum(["Running", "Succeeded", "Failed"]).describe("State of the hooks."),
      finished: count().describe("Hooks that have ended."),
      message: text(512).describe("What failed.").optional(),
    })
    .describe(`The hooks ${when}.`)
    .optional();

const claimUID = text(64)
  .describe("UID of the PVC, until the backup has succeeded. Another PVC of the same name is not backed up.")
  .optional();

const resolved = z.object({
  repository: resolvedRepository().describe("The repository.").optional(),
  engine: z.enum(["kopia", "restic"]).describe("The engine.").optional(),
  configUID: text(64).describe("UID of the BackupConfig.").optional(),
  configGeneration: count().describe("Generation of the BackupConfig.").optional(),
  copyMethod: text(32).describe("How the volumes were captured.").optional(),
  deletionPolicy: deletionPolicy().describe("The policy that applies.").optional(),
  identity: z
    .object({
      username: foreignIdentityPart().describe("User name."),
      hostname: foreignIdentityPart().describe("Host name."),
    })
    .describe("Identity under which the engine records the snapshots.")
    .optional(),
  owner: owner().describe(
    "The only owner of the files, as found by the previous Backup of the BackupConfig or by a failed attempt. The mover runs as this user, unless the settings name another.",
  ),
  settings: v.opaque().describe("The settings of the BackupConfig that this Backup uses.").optional(),
  sources: z
    .array(resolvedSource().extend({ uid: claimUID, claim: claimSpec.optional() }))
    .max(MAX_SOURCES)
    .describe("The volumes, and their recorded paths.")
    .optional(),
});

export const backupStatus = z
  .object({
    phase: z.enum(BACKUP_PHASES).describe("Phase of the backup.").optional(),
    origin: z
      .enum(ORIGINS)
      .describe("Created by a schedule, created manually, or discovered in the repository.")
      .optional(),
    observedGeneration: observedGeneration(),
    snapshot: snapshot.describe("The snapshot, if there is only one.").optional(),
    snapshots: z
      .array(snapshot)
      .max(MAX_SOURCES)
      .describe("All snapshots, one for each volume. Holdfast keeps and deletes them together.")
      .optional(),
    backupRef: z
      .object({
        namespace: text(63).describe("Its namespace, which is that of the BackupConfig."),
        name: text(253).describe("Its name."),
        uid: text(64).describe("Its UID, once it has been seen.").optional(),
      })
      .describe(
        "For a cross-namespace Backup: the Backup beside the BackupConfig, which does the work and owns the snapshots.",
      )
      .optional(),
    backupRefs: z
      .array(
        z.object({
          namespace: text(63).describe("Its namespace, which is that of the PVCs."),
          name: text(63).describe("Its name.").optional(),
          uid: text(64).describe("Its UID, once it has been seen.").optional(),
          phase: z
            .enum(["Pending", "Running", "Succeeded", "Failed", "Skipped"])
            .describe("Its phase. Skipped: no PVC matches there."),
          message: text(160).describe("Why it has not succeeded.").optional(),
          snapshots: z
            .int()
            .min(0)
            .max(MAX_SOURCES)
            .describe("Number of its snapshots, once it has been seen.")
            .optional(),
          refused: z
            .boolean()
            .describe("The API server refused to create it. Edit this Backup to try again.")
            .optional(),
        }),
      )
      .max(MAX_NAMESPACES)
      .describe(
        "For a multi-namespace BackupConfig: the Backup in each namespace, which does the work and owns the snapshots.",
      )
      .optional(),
    orphaned: z.boolean().describe("The snapshots stay in the repository on purpose.").optional(),
    timing: timing().describe("When it ran.").optional(),
    stats: stats.describe("Totals over all volumes.").optional(),
    progress: progress.describe("Progress of the running backup.").optional(),
    losses: losses().describe("What is not in the backup.").optional(),
    hooks: z
      .object({ before: hookRun("before the snapshot"), after: hookRun("after the snapshot") })
      .describe("Results of the hooks.")
      .optional(),
    job: job().describe("The run.").optional(),
    resolved: resolved.describe("The settings when the Backup began.").optional(),
    failure: failure().describe("Why the last attempt failed.").optional(),
    conditions: conditions(),
    logTail: logTail(),
    work: work(),
  })
  .describe("Result and progress of the backup.");
