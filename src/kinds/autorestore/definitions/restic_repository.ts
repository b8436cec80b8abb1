import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { GROUP, VERSION } from "../group.ts";
import { ONE_URL, repositorySettings } from "./repository_settings.ts";
import { AGE, common, count, KIND_NAMES, PHASE, REASON, state, text } from "./words.ts";

const task = (what: string) =>
  z
    .object({
      lastTime: v.timestamp().describe("The scheduled time of the last one.").optional(),
      lastSuccess: v.timestamp().describe("When the last successful one ended.").optional(),
      nextTime: v.timestamp().describe("When the next one is due.").optional(),
      error: text(1024).describe("Why the last one failed.").optional(),
    })
    .describe(what)
    .optional();

export const resticRepository = defineKind({
  ...KIND_NAMES,
  group: GROUP,
  version: VERSION,
  kind: "ResticRepository",
  plural: "resticrepositories",
  scope: "Namespaced",
  description: "A restic repository: where it is, how to open it, and when to maintain it.",
  spec: v
    .rule(z.object(repositorySettings()), ONE_URL)
    .describe("Where the repository is, and how to open it."),
  status: z
    .object({
      phase: z
        .enum(["Unknown", "Initializing", "Ready", "Failed"])
        .describe(
          "Unknown: the repository answered before, and does not now. Failed: it cannot be opened; see error for what to do.",
        )
        .optional(),
      repository: text(1024).describe("URL of the repository.").optional(),
      lastChecked: v
        .timestamp()
        .describe("When the last successful check of the repository ended.")
        .optional(),
      stats: z
        .object({
          totalSize: count().describe("Size of the repository in its storage, in bytes.").optional(),
          size: text(32).describe("The same, to read.").optional(),
          snapshotCount: count().describe("Number of snapshots.").optional(),
          lastUpdated: v.timestamp().describe("When this was measured.").optional(),
        })
        .describe("What the repository holds.")
        .optional(),
      error: text(1024).describe("Why the repository cannot be used, and what to do.").optional(),
      maintenance: z
        .object({
          check: task("Checks of the structure."),
          prune: task("Prunes."),
          verification: task("Verifications of the data."),
        })
        .describe("Maintenance of the repository.")
        .optional(),
      deletions: z
        .object({
          held: count().describe("Number of deletions that wait for an acknowledgement.").optional(),
          heldSince: v.timestamp().describe("Since when they wait.").optional(),
          acknowledgeToken: text(64)
            .describe(
              "Value of the annotation `backup.datarestor-operator.com/acknowledge-deletions` that lets them go on.",
            )
            .optional(),
          pending: count().describe("Number of snapshots that could not be deleted yet.").optional(),
        })
        .describe("Deletions of snapshots that are not done.")
        .optional(),
      uniqueID: text(128)
        .describe("ID of the repository itself. Another one is never taken for it.")
        .optional(),
      state: state(),
      ...common(),
    })
    .describe("How the repository is."),
  printerColumns: [
    { name: "Repository", type: "string", jsonPath: ".status.repository" },
    PHASE,
    { name: "Snapshots", type: "integer", jsonPath: ".status.stats.snapshotCount" },
    { name: "Size", type: "string", jsonPath: ".status.stats.size" },
    REASON,
    AGE,
  ],
});
