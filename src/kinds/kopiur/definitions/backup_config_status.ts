import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { BACKUP_CONFIG_PHASES } from "../phases.ts";
import { conditions, observedGeneration } from "./conditions.ts";
import { MAX_NAMESPACES, MAX_SOURCES } from "./sources.ts";
import { resolvedRepository, resolvedSource } from "./status_parts.ts";
import { count, text } from "./words.ts";

const identity = z.object({
  username: text(253).describe("User name."),
  hostname: text(253).describe("Host name."),
  sources: z
    .array(resolvedSource())
    .max(MAX_SOURCES)
    .describe("The volumes, and their recorded paths.")
    .optional(),
});

const retention = z.object({
  activeBackupCount: count().describe("Backups that retention keeps now.").optional(),
  lastPruneAt: v.timestamp().describe("When Backups were last pruned.").optional(),
  lastPruneDeleted: count().describe("How many Backups were deleted then.").optional(),
  pausedReason: text(128).describe("Why pruning is paused, in one word.").optional(),
  next: z
    .array(
      z.object({
        backup: text(253).describe("Name of the Backup."),
        reason: text(256).describe("Why retention would delete it."),
      }),
    )
    .max(8)
    .describe("The Backups that retention would delete next.")
    .optional(),
});

export const backupConfigStatus = z
  .object({
    phase: z.enum(BACKUP_CONFIG_PHASES).describe("Whether the BackupConfig can run.").optional(),
    observedGeneration: observedGeneration(),
    resolved: z
      .object({
        repository: resolvedRepository().describe("The repository.").optional(),
        identity: identity.describe("The identity, pinned when it was first resolved.").optional(),
      })
      .describe("What a run would use.")
      .optional(),
    namespaces: z
      .array(
        z.object({
          namespace: text(63).describe("Its name."),
          config: text(63).describe("Name of the copy of this BackupConfig there.").optional(),
          reason: text(64).describe("Its state there, in one word."),
          message: text(160).describe("Why it cannot run there.").optional(),
        }),
      )
      .max(MAX_NAMESPACES)
      .describe("For a multi-namespace BackupConfig: its state in each namespace.")
      .optional(),
    lastSuccessfulBackup: z
      .object({ name: text(253).describe("Its name."), at: v.timestamp().describe("When it ended.") })
      .describe("The newest Backup that succeeded.")
      .optional(),
    consecutiveFailures: count().describe("Backups that failed since then.").optional(),
    retention: retention.describe("What retention did, and what it would do next.").optional(),
    conditions: conditions(),
  })
  .describe("The observed state of the BackupConfig.");
