import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { LONGEST_REMEMBERED, MOST_REMEMBERED } from "../deletion_limits.ts";
import { REPOSITORY_PHASES } from "../phases.ts";
import { conditions, observedGeneration } from "./conditions.ts";
import { missingData } from "./missing_data.ts";
import { failure, logTail, work } from "./status_parts.ts";
import { count, snapshotID, text, texts } from "./words.ts";

const storageStats = z.object({
  snapshotCount: count().describe("Snapshots in the repository, of all identities.").optional(),
  totalSize: v.quantity().describe("Space that the repository takes, rounded.").optional(),
  storedBytes: count().describe("Bytes that the repository takes in its storage.").optional(),
  logicalBytes: count()
    .describe("Bytes of the newest snapshot of every identity, before compression.")
    .optional(),
  lastObservedAt: v.timestamp().describe("When this was counted.").optional(),
});

const breaker = z.object({
  state: z
    .enum(["Closed", "Open", "HalfOpen"])
    .describe(
      "Closed: all is well. Open: work waits. HalfOpen: one probe looks whether the storage is back.",
    ),
  consecutiveFailures: count().describe("Failures of the storage in a row."),
  errorClass: text(64).describe("Class of the last failure.").optional(),
  openedAt: v.timestamp().describe("Since when work waits.").optional(),
  nextProbeAt: v.timestamp().describe("When the next probe is due.").optional(),
});

const pendingDeletion = z.object({
  snapshotID: snapshotID().describe("ID of the snapshot."),
  backup: text(317).describe("The Backup that stood for it, as namespace/name."),
  since: v.timestamp().describe("Since when."),
  reason: text(128).describe("Why it is still there, in one word."),
});

const deletions = z.object({
  pending: count().describe("Snapshots that are to be deleted and could not be yet.").optional(),
  oldest: z
    .array(pendingDeletion)
    .max(16)
    .describe("The oldest of them, and after these some that were kept.")
    .optional(),
  held: count().describe("Deletions that wait for someone to acknowledge them.").optional(),
  heldSince: v.timestamp().describe("Since when they wait.").optional(),
  recent: texts({ maxItems: MOST_REMEMBERED, maxLength: LONGEST_REMEMBERED })
    .describe("Deletions of the recent past by others than the operator, for its guard. Not for people.")
    .optional(),
  kept: count()
    .describe(
      "Snapshots that stayed because the namespace of their Backup was deleted; whatever became of them since.",
    )
    .optional(),
  acknowledgeToken: text(64).describe("Value of the annotation that lets them go on.").optional(),
});

const identity = z.object({
  identity: text(256).describe("The identity, as username@hostname:path; cut where it is longer."),
  snapshots: count().describe("Snapshots of it."),
  newestAt: v.timestamp().describe("When the newest was begun.").optional(),
});

/** The status that Repository and ClusterRepository share. */
export const repositoryStatusFields = () => ({
  phase: z.enum(REPOSITORY_PHASES).describe("Where the repository stands.").optional(),
  observedGeneration: observedGeneration(),
  backend: text(32).describe("The kind of storage.").optional(),
  uniqueID: text(128)
    .describe(
      "ID of the repository itself. Once it is known, a repository with another is never taken for this one.",
    )
    .optional(),
  lastContactAt: v.timestamp().describe("When the repository last answered.").optional(),
  storageStats: storageStats.describe("How much is in the repository.").optional(),
  catalog: z
    .object({
      snapshotCount: count().describe("Snapshots in the list, of all identities.").optional(),
      discoveredBackupCount: count().describe("Backups of origin discovered that there are.").optional(),
      hiddenSnapshotCount: count().describe("Snapshots that the limits keep from being shown.").optional(),
      identityCount: count().describe("Identities that have snapshots in the repository.").optional(),
      identities: z.array(identity).max(12).describe("Those of them with the most snapshots.").optional(),
      lastRefreshAt: v.timestamp().describe("When the list was last read.").optional(),
      nextRefreshAt: v.timestamp().describe("When it is read again.").optional(),
      failures: count().describe("How often in a row it could not be read.").optional(),
      observedGeneration: observedGeneration(),
      handledRefreshRequest: text(128)
        .describe("The request to read it anew that was last carried out.")
        .optional(),
    })
    .describe("What is shown of the repository's own list.")
    .optional(),
  breaker: breaker.describe("Whether work waits because the storage fails.").optional(),
  runs: z
    .object({
      running: count().describe("Movers that use the repository.").optional(),
      waiting: count().describe("Runs that wait for their turn.").optional(),
    })
    .describe("What is going on.")
    .optional(),
  deletions: deletions.describe("Deletions that are not done.").optional(),
  maintenanceRef: z
    .object({
      name: text(253).describe("Its name."),
      namespace: text(63).describe("Its namespace."),
    })
    .describe("The Maintenance of this repository.")
    .optional(),
  missingData: missingData()
    .describe("What the storage has lost, as the last check found. Absent while nothing is missing.")
    .optional(),
  failure: failure().describe("Why the last contact failed.").optional(),
  logTail: logTail(),
  work: work(),
  conditions: conditions(),
});
