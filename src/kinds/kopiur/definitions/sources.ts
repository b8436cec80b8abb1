import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { localRef } from "./references.ts";
import { labelSelector } from "./selectors.ts";
import { namespaceName, recordedPath } from "./words.ts";

/** The most volumes that one Backup holds: its status names each, and stays below 16 KiB. */
export const MAX_SOURCES = 16;

/** The most namespaces that one Backup can cover, for the same reason. */
export const MAX_NAMESPACES = 32;

const pvcSelector = z.object({
  namespaceSelector: z
    .object({ matchNames: v.listSet(namespaceName(), 64).min(1).describe("Names of namespaces.") })
    .describe(
      "Namespaces to select from. Default: this namespace. Another namespace has to allow it. The operator creates a copy of this BackupConfig there, and for each Backup of this one a Backup there.",
    )
    .optional(),
  labelSelector: labelSelector().describe("Labels of the PVCs. Default: every PVC.").optional(),
});

const source = v.rule(
  v.rule(
    z.object({
      pvc: localRef("PVC").describe("One PVC of this namespace.").optional(),
      pvcSelector: pvcSelector.describe("All PVCs that match when the run begins.").optional(),
      sourcePathOverride: recordedPath()
        .describe("Path to record for a single PVC. Default: by sourcePathStrategy.")
        .optional(),
      sourcePathStrategy: z
        .enum(["PVCName", "PVCNamespacedName"])
        .default("PVCName")
        .describe("Path to record: /pvc/<name>, or /pvc/<namespace>/<name> for PVCs of several namespaces."),
    }),
    {
      rule: "has(self.pvc) != has(self.pvcSelector)",
      message: "exactly one of pvc, pvcSelector must be set",
    },
  ),
  {
    rule: "!has(self.sourcePathOverride) || has(self.pvc)",
    message: "sourcePathOverride needs a single PVC: volumes with the same path would be indistinguishable",
    reason: "FieldValueForbidden",
    fieldPath: ".sourcePathOverride",
  },
);

/** The volumes to back up. */
export const sources = () => z.array(source).min(1).max(MAX_SOURCES);
