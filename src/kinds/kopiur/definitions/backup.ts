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
        .describe("The BackupConfig to run. Only a discovered Backup has none.")
        .optional(),
      tags: tags().describe("Tags for the snapshots in the repository.").optional(),
      parameters: z
        .object({ compressionOverride: compressor().describe("Compressor for this run.").optional() })
        .describe("Settings of this Backup that differ from the BackupConfig.")
        .optional(),
      failurePolicy: failurePolicyOverride()
        .describe("Retries and deadline. Default: those of the BackupConfig.")
        .optional(),
      deletionPolicy: deletionPolicy()
        .describe(
          `What happens to the snapshots when this object is deleted. ${DELETION_POLICY} Default: that of the BackupConfig; for a discovered Backup always Retain.`,
        )
        .optional(),
    }),
    {
      rule: "has(self.configRef) || !has(self.deletionPolicy) || self.deletionPolicy == 'Retain'",
      message: "deletionPolicy must be Retain without configRef: Holdfast never deletes discovered snapshots",
      fieldPath: ".deletionPolicy",
    },
  ),
  {
    rule: "has(self.configRef) || !(has(self.tags) || has(self.parameters) || has(self.failurePolicy))",
    message: "tags, parameters and failurePolicy need a configRef: a discovered Backup runs nothing",
  },
);

const PENDING = "(!has(oldSelf.status.phase) || oldSelf.status.phase == 'Pending')";

const UNTOLD = "!has(oldSelf.status.backupRef) && !has(oldSelf.status.backupRefs)";

/** A run ends with the BackupConfig that it began with, and so does another Backup that does the work of this one. */
const untouched = {
  configRef: `${PENDING} && !has(oldSelf.status.resolved) && ${UNTOLD}`,
  tags: `${PENDING} && ${UNTOLD}`,
  parameters: `${PENDING} && ${UNTOLD}`,
};

const frozen = (["configRef", "tags", "parameters"] as const).map((field) => ({
  rule: `!has(oldSelf.status) || (${untouched[field]}) || (${unchanged(`spec.${field}`)})`,
  message: `${field} is immutable once the backup has begun: create a new Backup`,
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
    "One backup by a BackupConfig and the snapshots that it made, or a snapshot discovered in a repository. Deleting it deletes the snapshots, unless deletionPolicy says otherwise.",
  spec: spec.meta({ ...spec.meta(), default: {} }).describe("What to back up."),
  status: backupStatus,
  rules: frozen,
  printerColumns: [
    PHASE,
    { name: "Origin", type: "string", jsonPath: ".status.origin" },
    { name: "Config", type: "string", jsonPath: ".spec.configRef.name" },
    { name: "Snapshot", type: "string", jsonPath: ".status.snapshot.kopiaSnapshotID" },
    { name: "Size", type: "string", jsonPath: ".status.stats.size" },
    { name: "Started", type: "date", jsonPath: ".status.timing.startTime" },
    { name: "Repository", type: "string", jsonPath: ".status.resolved.repository.name", priority: 1 },
    { name: "Progress", type: "integer", jsonPath: ".status.progress.percent", priority: 1 },
    REASON,
    AGE,
  ],
});
