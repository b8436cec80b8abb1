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
  totalSize: v.quantity().describe("Size of the repository, rounded.").optional(),
  storedBytes: count().describe("Size of the repository in its storage, in bytes.").optional(),
  logicalBytes: count()
    .describe("Bytes of the newest snapshot of every identity, before compression.")
    .optional(),
  lastObservedAt: v.timestamp().describe("When this was measured.").optional(),
});

const breaker = z.object({
  state: z
    .enum(["Closed", "Open", "HalfOpen"])
    .describe(
      "Closed: the storage works. Open: runs wait. HalfOpen: one run tests whether the storage works again.",
    ),
  consecutiveFailures: count().describe("Failures of the storage in a row."),
  errorClass: text(64).describe("Class of the last failure.").optional(),
  openedAt: v.timestamp().describe("Since when runs wait.").optional(),
  nextProbeAt: v.timestamp().describe("When the next test is due.").optional(),
});

const pendingDeletion = z.object({
  snapshotID: snapshotID().describe("ID of the snapshot."),
  backup: text(317).describe("Its Backup, as namespace/name."),
  since: v.timestamp().describe("Since when."),
  reason: text(128).describe("Why it still exists, in one word."),
});

const deletions = z.object({
  pending: count().describe("Number of snapshots that are still to be deleted.").optional(),
  oldest: z
    .array(pendingDeletion)
    .max(16)
    .describe("The oldest of them, followed by some that were kept.")
    .optional(),
  held: count().describe("Number of deletions that wait for an acknowledgement.").optional(),
  heldSince: v.timestamp().describe("Since when they wait.").optional(),
  recent: texts({ maxItems: MOST_REMEMBERED, maxLength: LONGEST_REMEMBERED })
    .describe("Internal: recent deletions by anyone but the operator.")
    .optional(),
  kept: count()
    .describe(
      "Number of snapshots that stayed because the namespace of their Backup was deleted. Some may have been deleted since.",
    )
    .optional(),
  acknowledgeToken: text(64).describe("Value of the annotation that acknowledges them.").optional(),
});

const identity = z.object({
  identity: text(256).describe("The identity, as username@hostname:path; cut where it is longer."),
  snapshots: count().describe("Number of its snapshots."),
  newestAt: v.timestamp().describe("When the newest began.").optional(),
});

/** The status that Repository and ClusterRepository share. */
export const repositoryStatusFields = () => ({
  phase: z.enum(REPOSITORY_PHASES).describe("Phase of the repository.").optional(),
  observedGeneration: observedGeneration(),
  backend: text(32).describe("The kind of storage.").optional(),
  uniqueID: text(128)
    .describe("ID of the stored repository. Holdfast refuses a repository with another ID.")
    .optional(),
  lastContactAt: v.timestamp().describe("When the repository last answered.").optional(),
  storageStats: storageStats.describe("Size of the repository.").optional(),
  catalog: z
    .object({
      snapshotCount: count().describe("Number of snapshots, of all identities.").optional(),
      discoveredBackupCount: count().describe("Number of Backups of origin discovered.").optional(),
      hiddenSnapshotCount: count()
        .describe("Number of snapshots that are hidden because of the limits.")
        .optional(),
      identityCount: count().describe("Number of identities with snapshots in the repository.").optional(),
      identities: z.array(identity).max(12).describe("The identities with the most snapshots.").optional(),
      lastRefreshAt: v.timestamp().describe("When Holdfast last read the list.").optional(),
      nextRefreshAt: v.timestamp().describe("When Holdfast reads it next.").optional(),
      failures: count().describe("Failed attempts to read it in a row.").optional(),
      observedGeneration: observedGeneration(),
      handledRefreshRequest: text(128)
        .describe("The last request for a refresh that was handled.")
        .optional(),
    })
    .describe("The repository's list of snapshots.")
    .optional(),
  breaker: breaker.describe("Whether runs wait because the storage fails.").optional(),
  runs: z
    .object({
      running: count().describe("Number of movers that use the repository.").optional(),
      waiting: count().describe("Number of runs that wait for a slot.").optional(),
    })
    .describe("Runs of this repository.")
    .optional(),
  deletions: deletions.describe("Deletions that are not complete.").optional(),
  maintenanceRef: z
    .object({
      name: text(253).describe("Its name."),
      namespace: text(63).describe("Its namespace."),
    })
    .describe("The Maintenance of this repository.")
    .optional(),
  missingData: missingData()
    .describe("What the storage has lost, according to the last check. Absent while nothing is missing.")
    .optional(),
  failure: failure().describe("Why the last contact failed.").optional(),
  logTail: logTail(),
  work: work(),
  conditions: conditions(),
});
