import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { MAINTENANCE_PHASES } from "../phases.ts";
import { conditions, observedGeneration } from "./conditions.ts";
import { missingData } from "./missing_data.ts";
import { failure, job, logTail, work } from "./status_parts.ts";
import { count, text, texts } from "./words.ts";

const turn = (which: string) =>
  z
    .object({
      lastRunAt: v.timestamp().describe("When it last began.").optional(),
      lastSuccessAt: v.timestamp().describe("When it last succeeded.").optional(),
      lastDurationSeconds: count().describe("Seconds that the last one took.").optional(),
      nextScheduledAt: v.timestamp().describe("When it is due next, including jitter.").optional(),
      consecutiveFailures: count().describe("Runs that failed since the last success.").optional(),
      lastContentReclaimedBytes: count().describe("Bytes of storage that the last one freed.").optional(),
      lastContentReclaimed: text(16).describe("The same, for people, such as 6.9 MiB.").optional(),
    })
    .describe(`The ${which} runs.`)
    .optional();

export const maintenanceStatus = z
  .object({
    phase: z.enum(MAINTENANCE_PHASES).describe("Phase of the maintenance.").optional(),
    observedGeneration: observedGeneration(),
    ownership: z
      .object({
        owner: text(253).describe("Who maintains the repository now.").optional(),
        claimedAt: v.timestamp().describe("Since when.").optional(),
        lastObservedAt: v.timestamp().describe("When Holdfast last saw this.").optional(),
      })
      .describe("Who maintains the repository.")
      .optional(),
    quick: turn("quick"),
    full: turn("full"),
    lastCheck: z
      .object({
        at: v.timestamp().describe("When."),
        healthy: z.boolean().describe("The check found no damage."),
        dataPercent: z
          .int()
          .min(0)
          .max(100)
          .describe("Percentage of the stored data that the check read.")
          .optional(),
        problems: texts({ maxItems: 8, maxLength: 256 })
          .describe("The damage that the check found.")
          .optional(),
        missing: missingData().describe("What the storage has lost.").optional(),
      })
      .describe("The last check of the repository.")
      .optional(),
    lastVerification: z
      .object({
        at: v.timestamp().describe("When."),
        snapshotID: text(64).describe("The snapshot."),
        healthy: z.boolean().describe("Holdfast read every file of the snapshot."),
        files: count().describe("Number of files.").optional(),
      })
      .describe("The last snapshot that was read as a whole.")
      .optional(),
    locksRemoved: count().describe("Number of locks of dead owners that Holdfast has removed.").optional(),
    handledRunRequest: text(128).describe("The last request for a run that was handled.").optional(),
    job: job().describe("The run.").optional(),
    failure: failure().describe("Why the last run failed.").optional(),
    conditions: conditions(),
    logTail: logTail(),
    work: work(),
  })
  .describe("What has run, and what runs next.");
