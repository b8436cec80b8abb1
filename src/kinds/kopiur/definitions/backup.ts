import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { GROUP, VERSION } from "../group.ts";
import { backupStatus } from "./backup_status.ts";
import { AGE, KIND_NAMES, PHASE, REASON } from "./columns.ts";
import { DELETION_POLICY, deletionPolicy } from "./deletion_policy.ts";
import { compressor } from "./engine_policy.ts";
import { failurePolicyOverride } from "./failure_policy.ts";
import { namespacedRef } from "./references.ts";
import { tags } from "./tags.ts";
import { unchanged } from "./unchanged.ts";

const spec = v.rule(
  v.rule(
    z.object({
      configRef: namespacedRef("BackupConfig")
        .describe("The recipe to run. Only a Backup that was found in a repository has none.")
        .optional(),
      tags: tags().describe("Tags that the snapshots get in the repository.").optional(),
      parameters: z
        .object({ compressionOverride: compressor().describe("Compressor for this run.").optional() })
        .describe("What this run does other than the recipe.")
        .optional(),
      failurePolicy: failurePolicyOverride()
        .describe("How long and how often it is tried. Default: as the recipe says.")
        .optional(),
      deletionPolicy: deletionPolicy()
        .describe(
          `What becomes of the snapshots when this object is deleted. ${DELETION_POLICY} Default: as the recipe says; always Retain for what was found in a repository.`,
        )
        .optional(),
    }),
    {
      rule: "has(self.configRef) || !has(self.deletionPolicy) || self.deletionPolicy == 'Retain'",
      message:
        "deletionPolicy must be Retain without configRef: snapshots that were found in a repository are never deleted",
      fieldPath: ".deletionPolicy",
    },
  ),
  {
    rule: "has(self.configRef) || !(has(self.tags) || has(self.parameters) || has(self.failurePolicy))",
    message: "tags, parameters and failurePolicy need a configRef: without one nothing is run",
  },
);

const PENDING = "(!has(oldSelf.status.phase) || oldSelf.status.phase == 'Pending')";

const UNTOLD = "!has(oldSelf.status.backupRef) && !has(oldSelf.status.backupRefs)";

/** What was begun is brought to its end by the recipe that it was begun with, and what another Backup was told is told. */
const untouched = {
  configRef: `${PENDING} && !has(oldSelf.status.resolved) && ${UNTOLD}`,
  tags: `${PENDING} && ${UNTOLD}`,
  parameters: `${PENDING} && ${UNTOLD}`,
};

const frozen = (["configRef", "tags", "parameters"] as const).map((field) => ({
  rule: `!has(oldSelf.status) || (${untouched[field]}) || (${unchanged(`spec.${field}`)})`,
  message: `${field} is frozen once the backup has begun: create another Backup`,
  fieldPath: `.spec.${field}`,
}));

export const backup = defineKind({
  ...KIND_NAMES,
  group: GROUP,
  version: VERSION,
  kind: "Backup",
  plural: "backups",
  shortNames: ["kopiabak"],
  scope: "Namespaced",
  description:
    "One run of a BackupConfig and the snapshots that it made, or a snapshot that was found in a repository. Deleting it deletes the snapshots, unless deletionPolicy says otherwise.",
  spec: spec.meta({ ...spec.meta(), default: {} }).describe("What is run."),
  status: backupStatus,
  rules: frozen,
  printerColumns: [
    PHASE,
    { name: "Origin", type: "string", jsonPath: ".status.origin" },
    { name: "Config", type: "string", jsonPath: ".spec.configRef.name" },
    { name: "Snapshot", type: "string", jsonPath: ".status.snapshot.kopiaSnapshotID" },
    { name: "Size", type: "integer", jsonPath: ".status.stats.sizeBytes" },
    { name: "Started", type: "date", jsonPath: ".status.timing.startTime" },
    { name: "Repository", type: "string", jsonPath: ".status.resolved.repository.name", priority: 1 },
    { name: "Progress", type: "integer", jsonPath: ".status.progress.percent", priority: 1 },
    REASON,
    AGE,
  ],
});
