import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { localRef } from "./references.ts";
import { labelSelector } from "./selectors.ts";
import { namespaceName, recordedPath } from "./words.ts";

/** The most volumes that one Backup holds: its status names each, and stays below 16 KiB. */
export const MAX_SOURCES = 16;

/** The most namespaces whose claims one Backup tells of, for the same reason. */
export const MAX_NAMESPACES = 32;

const pvcSelector = z.object({
  namespaceSelector: z
    .object({ matchNames: v.listSet(namespaceName(), 64).min(1).describe("Names of namespaces.") })
    .describe(
      "Where to look. Default: this namespace. Another one has to allow it; there a BackupConfig is made that repeats this one, and a Backup for each of this one.",
    )
    .optional(),
  labelSelector: labelSelector().describe("Labels of the claims. Default: every claim.").optional(),
});

const source = v.rule(
  v.rule(
    z.object({
      pvc: localRef("claim").describe("One claim of this namespace.").optional(),
      pvcSelector: pvcSelector.describe("All claims that match when the run begins.").optional(),
      sourcePathOverride: recordedPath()
        .describe("Path that is recorded for a single claim. Default: by sourcePathStrategy.")
        .optional(),
      sourcePathStrategy: z
        .enum(["PVCName", "PVCNamespacedName"])
        .default("PVCName")
        .describe(
          "Path that is recorded: /pvc/<name>, or /pvc/<namespace>/<name> for claims of several namespaces.",
        ),
    }),
    {
      rule: "has(self.pvc) != has(self.pvcSelector)",
      message: "exactly one of pvc, pvcSelector must be set",
    },
  ),
  {
    rule: "!has(self.sourcePathOverride) || has(self.pvc)",
    message: "sourcePathOverride is for a single claim: volumes that share a path could not be told apart",
    reason: "FieldValueForbidden",
    fieldPath: ".sourcePathOverride",
  },
);

/** The volumes to back up. */
export const sources = () => z.array(source).min(1).max(MAX_SOURCES);
