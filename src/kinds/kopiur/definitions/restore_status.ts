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
    .describe("The Backup, where there is one.")
    .optional(),
  repository: resolvedRepository().describe("The repository.").optional(),
  identity: recordedIdentity().describe("The identity.").optional(),
  snapshotID: text(128).describe("ID of the snapshot. It may change; its content does not.").optional(),
  root: text(128).describe("ID of its content.").optional(),
  runID: text(64).describe("ID of the run that made it, which it carries as a tag.").optional(),
  owner: owner(),
  snapshotTime: v.timestamp().describe("When the snapshot was made.").optional(),
  fidelity: fidelity().optional(),
  noSnapshot: z.boolean().describe("The repository answered that it holds no such snapshot.").optional(),
  pinnedAt: v.timestamp().describe("When this was decided. It does not change any more.").optional(),
});

const progress = z.object({
  bytesRestored: count().describe("Bytes that are written.").optional(),
  filesRestored: count().describe("Files that are written.").optional(),
  bytesTotal: count().describe("Bytes in all.").optional(),
  filesTotal: count().describe("Files in all.").optional(),
  secondsRemaining: count().describe("Seconds that it may still take.").optional(),
  errors: count().describe("Errors so far.").optional(),
  updatedAt: v.timestamp().describe("When this was so.").optional(),
});

const claim = z.object({
  name: text(253).describe("Name of the claim."),
  uid: text(64).describe("Its UID: a claim that is created again starts again.").optional(),
  phase: z.enum(RESTORE_PHASES).describe("How far its volume is."),
  pvcPrime: text(253).describe("The claim that its volume is filled through.").optional(),
  message: text(512).describe("What it waits for.").optional(),
});

const workload = z.object({
  apiVersion: text(317).describe("Its API version.").optional(),
  kind: text(63).describe("Its kind."),
  name: text(253).describe("Its name."),
  replicas: count().describe("Replicas that it had."),
});

export const restoreStatus = z
  .object({
    phase: z.enum(RESTORE_PHASES).describe("Where the restore stands.").optional(),
    observedGeneration: observedGeneration(),
    sourceKind: text(32).describe("Which of the sources is used.").optional(),
    resolved: resolved.describe("What is restored, once that is decided.").optional(),
    waiting: z
      .object({
        since: v.timestamp().describe("Since when."),
        edition: text(64).describe("Of the Restore when it began to wait: an edit begins anew."),
      })
      .describe(
        "It waits for its source, or has failed because that was not there within policy.waitTimeout.",
      )
      .optional(),
    target: z
      .object({
        pvcPrime: text(253).describe("The claim that the volume is filled through.").optional(),
        pvcRef: z
          .object({
            name: text(253).describe("Its name."),
            uid: text(64)
              .describe("Its UID, where it is written itself: what is written is in no other of its name.")
              .optional(),
          })
          .describe("The claim that gets the data.")
          .optional(),
      })
      .describe("Where the data goes.")
      .optional(),
    claims: v
      .listMap(claim, ["name"], 16)
      .describe(
        "The claims that name this Restore in their dataSourceRef; of many, those that need something.",
      )
      .optional(),
    claimCount: count().describe("How many claims there are, also those that are not listed.").optional(),
    scaledWorkloads: z
      .array(workload)
      .max(16)
      .describe("What was scaled down for the restore, and is scaled back after it.")
      .optional(),
    timing: timing().describe("When it ran.").optional(),
    progress: progress.describe("How far it is.").optional(),
    fidelity: fidelity()
      .describe(
        "Whether the snapshot, when it was restored, could bring back everything, what the bare engine keeps, or not all that it was meant to.",
      )
      .optional(),
    incomplete: text(256)
      .describe(
        "Why the restored snapshot lacks more of its source than its backup was allowed to leave out.",
      )
      .optional(),
    losses: losses()
      .describe("What did not come back as it was, in all volumes that were filled.")
      .optional(),
    job: job().describe("The run.").optional(),
    failure: failure().describe("Why the last attempt failed.").optional(),
    conditions: conditions(),
    logTail: logTail(),
    work: work(),
  })
  .describe("What came of it.");
