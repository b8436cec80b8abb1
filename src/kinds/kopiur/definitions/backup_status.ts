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

const snapshot = z.object({
  kopiaSnapshotID: snapshotID().describe("ID that the engine, kopia or restic, has for it. It may change."),
  runID: text(64).describe("ID of the run that made it, where it is another than this one.").optional(),
  root: text(128).describe("ID of its content: equal roots mean equal content.").optional(),
  identity: recordedIdentity().describe("Under which identity it is recorded."),
  pvc: text(317).describe("The claim that it is of, as namespace/name.").optional(),
  sizeBytes: count().describe("Bytes of its files.").optional(),
  fidelity: fidelity().optional(),
  unchanged: z.boolean().describe("Nothing had changed: it is the snapshot of an earlier Backup.").optional(),
  incomplete: text(256)
    .describe("Why it lacks more of the volume than its backup was allowed to leave out.")
    .optional(),
  owner: owner(),
});

const stats = z.object({
  sizeBytes: count().describe("Bytes of all files.").optional(),
  bytesNew: count().describe("Bytes that were added to the repository.").optional(),
  filesNew: count().describe("Files that were not there before.").optional(),
  filesModified: count().describe("Files that had changed.").optional(),
  filesUnchanged: count().describe("Files that were as before.").optional(),
  files: count().describe("Files in all.").optional(),
  folders: count().describe("Folders in all.").optional(),
  filesFailed: count().describe("Files that could not be read, and were left out.").optional(),
});

const progress = z.object({
  percent: z.int().min(0).max(100).describe("How far it is, where that can be told.").optional(),
  files: count().describe("Files that are done.").optional(),
  bytes: count().describe("Bytes that are done.").optional(),
  hashedBytes: count().describe("Bytes that were read.").optional(),
  cachedBytes: count().describe("Bytes that were taken over unread from an earlier snapshot.").optional(),
  uploadedBytes: count().describe("Bytes that were sent to the repository.").optional(),
  estimatedFiles: count().describe("Files that there will be.").optional(),
  estimatedBytes: count().describe("Bytes that there will be.").optional(),
  secondsRemaining: count().describe("Seconds that it may still take.").optional(),
  errors: count().describe("Errors so far.").optional(),
  updatedAt: v.timestamp().describe("When this was so.").optional(),
});

const hookRun = (when: string) =>
  z
    .object({
      state: z.enum(["Running", "Succeeded", "Failed"]).describe("How it stands."),
      finished: count().describe("Hooks that have ended."),
      message: text(512).describe("What failed.").optional(),
    })
    .describe(`The hooks ${when}.`)
    .optional();

const claimUID = text(64)
  .describe("UID of the claim, until the backup has succeeded: another one of its name is not backed up.")
  .optional();

const resolved = z.object({
  repository: resolvedRepository().describe("The repository.").optional(),
  engine: z.enum(["kopia", "restic"]).describe("The engine.").optional(),
  configUID: text(64).describe("UID of the recipe.").optional(),
  configGeneration: count().describe("Generation of the recipe.").optional(),
  copyMethod: text(32).describe("How the volumes were captured.").optional(),
  deletionPolicy: deletionPolicy().describe("The policy that holds.").optional(),
  identity: z
    .object({
      username: foreignIdentityPart().describe("User name."),
      hostname: foreignIdentityPart().describe("Host name."),
    })
    .describe("Under whom the snapshots are recorded.")
    .optional(),
  owner: owner().describe(
    "The one to whom all belongs, as the recipe's backup before this one has shown, or an attempt that could not read it: the mover runs as this user, where the settings name no other.",
  ),
  recipe: v.opaque().describe("The settings of the recipe that the run goes by.").optional(),
  sources: z
    .array(resolvedSource().extend({ uid: claimUID }))
    .max(MAX_SOURCES)
    .describe("The volumes, and their recorded paths.")
    .optional(),
});

export const backupStatus = z
  .object({
    phase: z.enum(BACKUP_PHASES).describe("Where the backup stands.").optional(),
    origin: z.enum(ORIGINS).describe("By a schedule, by someone, or found in the repository.").optional(),
    observedGeneration: observedGeneration(),
    snapshot: snapshot.describe("The snapshot, where there is only one.").optional(),
    snapshots: z
      .array(snapshot)
      .max(MAX_SOURCES)
      .describe("Every snapshot, one for each volume. They are kept and deleted together.")
      .optional(),
    backupRef: z
      .object({
        namespace: text(63).describe("Its namespace, which is the recipe's."),
        name: text(253).describe("Its name."),
        uid: text(64).describe("Its UID, once it has been seen.").optional(),
      })
      .describe(
        "Where the recipe is in another namespace: the Backup beside it that does the work and stands for the snapshots.",
      )
      .optional(),
    backupRefs: z
      .array(
        z.object({
          namespace: text(63).describe("Its namespace, which is that of the claims."),
          name: text(63).describe("Its name.").optional(),
          uid: text(64).describe("Its UID, once it has been seen.").optional(),
          phase: z
            .enum(["Pending", "Running", "Succeeded", "Failed", "Skipped"])
            .describe("How it went there. Skipped: no claim matches there."),
          message: text(160).describe("What is to be said of it, unless it succeeded.").optional(),
          snapshots: z
            .int()
            .min(0)
            .max(MAX_SOURCES)
            .describe("How many snapshots it holds, once it has been seen.")
            .optional(),
          refused: z
            .boolean()
            .describe("The API server did not let it be made. An edit of this Backup has it tried again.")
            .optional(),
        }),
      )
      .max(MAX_NAMESPACES)
      .describe(
        "Where the recipe is about claims of several namespaces: the Backup in each that does the work and stands for the snapshots.",
      )
      .optional(),
    orphaned: z.boolean().describe("The snapshots were left in the repository on purpose.").optional(),
    timing: timing().describe("When it ran.").optional(),
    stats: stats.describe("How much it was, all volumes together.").optional(),
    progress: progress.describe("How far it is while it runs.").optional(),
    losses: losses().describe("What these snapshots will not bring back.").optional(),
    hooks: z
      .object({ before: hookRun("before the snapshot"), after: hookRun("after the snapshot") })
      .describe("What happened around the snapshot.")
      .optional(),
    job: job().describe("The run.").optional(),
    resolved: resolved.describe("The recipe as it was when the run began.").optional(),
    failure: failure().describe("Why the last attempt failed.").optional(),
    conditions: conditions(),
    logTail: logTail(),
    work: work(),
  })
  .describe("What came of it.");
