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
      lastDurationSeconds: count().describe("Seconds that it took.").optional(),
      nextScheduledAt: v.timestamp().describe("When it is due next, jitter included.").optional(),
      consecutiveFailures: count().describe("Runs that failed since the last success.").optional(),
      lastContentReclaimedBytes: count().describe("Bytes of storage that it gave back.").optional(),
    })
    .describe(`The ${which} runs.`)
    .optional();

export const maintenanceStatus = z
  .object({
    phase: z.enum(MAINTENANCE_PHASES).describe("Where the maintenance stands.").optional(),
    observedGeneration: observedGeneration(),
    ownership: z
      .object({
        owner: text(253).describe("Who maintains the repository now.").optional(),
        claimedAt: v.timestamp().describe("Since when.").optional(),
        lastObservedAt: v.timestamp().describe("When that was last seen.").optional(),
      })
      .describe("Who maintains the repository.")
      .optional(),
    quick: turn("quick"),
    full: turn("full"),
    lastCheck: z
      .object({
        at: v.timestamp().describe("When."),
        healthy: z.boolean().describe("Nothing was found."),
        problems: texts({ maxItems: 8, maxLength: 256 }).describe("What was found.").optional(),
        missing: missingData().describe("What the storage has lost.").optional(),
      })
      .describe("The last check of the repository.")
      .optional(),
    locksRemoved: count().describe("Locks of dead owners that were ever removed.").optional(),
    handledRunRequest: text(128).describe("The request for a run that was last carried out.").optional(),
    job: job().describe("The run.").optional(),
    failure: failure().describe("Why the last run failed.").optional(),
    conditions: conditions(),
    logTail: logTail(),
    work: work(),
  })
  .describe("What was done, and what comes next.");
