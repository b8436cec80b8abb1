import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { RESTORE_PHASES } from "../phases.ts";
import { conditions, observedGeneration } from "./conditions.ts";
import {
  failure,
  fidelity,
  job,
  logTail,
  losses,
  owner,
  recordedIdentity,
  resolvedRepository,
  timing,
  work,
} from "./status_parts.ts";
import { count, text } from "./words.ts";

const resolved = z.object({
  backupRef: z
    .object({
      name: text(253).describe("Its name."),
      namespace: text(63).describe("Its namespace.").optional(),
    })
    .describe("The Backup, if there is one.")
    .optional(),
  repository: resolvedRepository().describe("The repository.").optional(),
  identity: recordedIdentity().describe("The identity.").optional(),
  snapshotID: text(128).describe("ID of the snapshot. It may change; its content does not.").optional(),
  root: text(128).describe("ID of its content.").optional(),
  runID: text(64).describe("ID of the run that made it, which it carries as a tag.").optional(),
  owner: owner(),
  snapshotTime: v.timestamp().describe("When the snapshot was made.").optional(),
  sizeBytes: count().describe("Bytes of its files.").optional(),
  lacks: text(128).describe("What of its volume it does not hold.").optional(),
  fidelity: fidelity().optional(),
  noSnapshot: z.boolean().describe("The repository answered that it holds no such snapshot.").optional(),
  pinnedAt: v.timestamp().describe("When this was decided. It does not change afterwards.").optional(),
});

const progress = z.object({
  bytesRestored: count().describe("Bytes written.").optional(),
  restored: text(16).describe("The same, for people, such as 6.9 MiB.").optional(),
  filesRestored: count().describe("Files written.").optional(),
  bytesTotal: count().describe("All bytes.").optional(),
  filesTotal: count().describe("All files.").optional(),
  secondsRemaining: count().describe("Estimated seconds until the end.").optional(),
  errors: count().describe("Errors so far.").optional(),
  updatedAt: v.timestamp().describe("When this was updated.").optional(),
});

const claim = z.object({
  name: text(253).describe("Name of the PVC."),
  uid: text(64).describe("Its UID. A PVC that is created again starts over.").optional(),
  phase: z.enum(RESTORE_PHASES).describe("Phase of its volume."),
  pvcPrime: text(253).describe("The temporary PVC through which its volume is filled.").optional(),
  message: text(512).describe("What it waits for.").optional(),
});

const workload = z.object({
  apiVersion: text(317).describe("Its API version.").optional(),
  kind: text(63).describe("Its kind."),
  name: text(253).describe("Its name."),
  replicas: count().describe("Number of replicas before."),
});

const pausedOwner = z.object({
  kind: text(16).describe("Its kind."),
  namespace: text(63).describe("Its namespace."),
  name: text(253).describe("Its name."),
});

export const restoreStatus = z
  .object({
    phase: z.enum(RESTORE_PHASES).describe("Phase of the restore.").optional(),
    observedGeneration: observedGeneration(),
    sourceKind: text(32).describe("Kind of the source.").optional(),
    resolved: resolved.describe("What the Restore restores, once that is decided.").optional(),
    waiting: z
      .object({
        since: v.timestamp().describe("Since when."),
        edition: text(64).describe(
          "Fingerprint of the spec when it began to wait. An edit starts the time again.",
        ),
      })
      .describe(
        "The Restore waits for its source, or has failed because the source was missing for policy.waitTimeout.",
      )
      .optional(),
    target: z
      .object({
        pvcPrime: text(253).describe("The temporary PVC through which the volume is filled.").optional(),
        pvcRef: z
          .object({
            name: text(253).describe("Its name."),
            uid: text(64)
              .describe(
                "Its UID, if the mover writes into it directly. Another PVC of the same name does not hold the data.",
              )
              .optional(),
          })
          .describe("The PVC that gets the data.")
          .optional(),
      })
      .describe("Where the data goes.")
      .optional(),
    claims: v
      .listMap(claim, ["name"], 16)
      .describe(
        "The PVCs that name this Restore in their dataSourceRef. If there are many: those that need attention.",
      )
      .optional(),
    claimCount: count().describe("Number of all such PVCs, also those that are not listed.").optional(),
    safetyBackup: text(16)
      .describe("The Backup of the volume from before the restore; see target.pvcRef.backupFirst.")
      .optional(),
    scaledWorkloads: z
      .array(workload)
      .max(16)
      .describe("Workloads that the operator scaled down for the restore, and scales up after it.")
      .optional(),
    pausedGitOps: z
      .array(pausedOwner)
      .max(2)
      .describe("Applications of Argo CD and HelmReleases of Flux that the operator paused for the restore.")
      .optional(),
    timing: timing().describe("When it ran.").optional(),
    progress: progress.describe("Progress of the restore.").optional(),
    fidelity: fidelity()
      .describe(
        "Fidelity of the restored snapshot. Full: everything comes back. Engine: what the bare engine stores. Degraded: less than intended.",
      )
      .optional(),
    incomplete: text(256)
      .describe(
        "Why the restored snapshot lacks more of its source than the backup was allowed to leave out.",
      )
      .optional(),
    losses: losses().describe("What did not come back, in all volumes that the Restore filled.").optional(),
    job: job().describe("The run.").optional(),
    failure: failure().describe("Why the last attempt failed.").optional(),
    conditions: conditions(),
    logTail: logTail(),
    work: work(),
  })
  .describe("Result and progress of the restore.");
