import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { GROUP, VERSION } from "../group.ts";
import { AGE, KIND_NAMES, PHASE, REASON } from "./columns.ts";
import { failurePolicy } from "./failure_policy.ts";
import { mover } from "./mover.ts";
import { repositoryRef } from "./references.ts";
import { restoreSource } from "./restore_source.ts";
import { restoreStatus } from "./restore_status.ts";
import { restoreTarget } from "./restore_target.ts";
import { unchanged } from "./unchanged.ts";
import { text } from "./words.ts";

const options = z
  .object({
    path: text(4096)
      .min(1)
      .describe(
        "Restore only this file or folder of the snapshot, to the place where it was: a/b comes back as a/b, and everything else on the volume stays as it is.",
      )
      .optional(),
    targetPath: text(4096)
      .min(1)
      .describe(
        "The folder of the volume that gets the file of path, or the content of its folder; / is the root of the volume. Without path, it gets everything. Default: where it was.",
      )
      .optional(),
    existingFiles: z
      .enum(["Refuse", "Overwrite", "OverwriteChanged", "Keep"])
      .default("Overwrite")
      .describe(
        "How to treat existing files. Refuse: the target must be empty. OverwriteChanged: a file of the same size and time stays; with kopia only for snapshots of full fidelity. Keep: every file stays; refused after an interrupted restore.",
      ),
    enableFileDeletion: z
      .boolean()
      .default(false)
      .describe(
        "Delete files that are not in the snapshot. With path or targetPath: only in the restored folder.",
      ),
    confirmDeletion: z
      .boolean()
      .describe(
        "Confirms enableFileDeletion where the snapshot is empty, or holds less than half of what the last backups of the volume held. Without it such a Restore fails before it writes.",
      )
      .optional(),
    ignorePermissionErrors: z
      .boolean()
      .default(true)
      .describe("Continue if owners and modes cannot be set; status counts the differences."),
    ownership: z
      .enum(["Exact", "BestEffort", "Skip"])
      .describe(
        "Exact: restore owners and attributes as recorded, or write nothing. BestEffort: restore what is possible, and count the rest. Skip: all files belong to the mover. Default: BestEffort with ignorePermissionErrors, otherwise Exact.",
      )
      .optional(),
    writeFilesAtomically: z
      .boolean()
      .default(true)
      .describe(
        "Over existing data, write every file beside its place and then rename it. After an interrupted restore each file is the old or the new one. This needs room for the largest files twice, and writes no holes. Files are written in place into an empty volume, by restic, and by kopia if the snapshot has a name of more than 245 bytes.",
      ),
    sparse: z
      .boolean()
      .default(true)
      .describe(
        "Write long runs of zeros as holes. kopia does not do so when it writes files atomically over existing data.",
      ),
  })
  .prefault({})
  .describe("How to write the data.");

const policy = z
  .object({
    onMissingSnapshot: z
      .enum(["Fail", "Continue"])
      .describe(
        "What to do if the repository answers and has no such snapshot: fail, or continue with an empty volume. Default: Continue for fromConfig, if the repository has no snapshot of the identity at all and the BackupConfig has never backed the volume up; otherwise Fail. A repository that does not answer never counts as empty.",
      )
      .optional(),
    waitTimeout: v
      .duration()
      .default("5m")
      .describe(
        "How long to wait for the source: the Backup or BackupConfig, and a usable repository. After that, a Restore with a target has failed until you edit it; a PVC that names a Restore without a target continues to wait, and reports it. A running Backup has no time limit here.",
      ),
  })
  .prefault({})
  .describe("What to do if the source is missing.");

const spec = v.rule(
  z.object({
    repository: repositoryRef().describe("The repository. Required with source.identity only.").optional(),
    source: restoreSource(),
    target: restoreTarget().optional(),
    options,
    policy,
    mover: mover().describe("The pods that move the data.").optional(),
    failurePolicy: failurePolicy({ backoffLimit: 2, activeDeadlineSeconds: 86_400 }).describe(
      "Retries and deadline.",
    ),
  }),
  {
    rule: "!has(self.source.identity) || has(self.repository)",
    message: "repository must be set with source.identity, which names none",
    reason: "FieldValueRequired",
    fieldPath: ".repository",
  },
);

const pinned = (["source", "target", "repository"] as const).map((field) => ({
  rule: `!has(oldSelf.spec.target) || !has(oldSelf.status) || !has(oldSelf.status.phase) || !(oldSelf.status.phase in ['Restoring', 'Completed']) || (${unchanged(`spec.${field}`)})`,
  message: `${field} is immutable once data is being written: create a new Restore`,
  fieldPath: `.spec.${field}`,
}));

export const restore = defineKind({
  ...KIND_NAMES,
  group: GROUP,
  version: VERSION,
  kind: "Restore",
  plural: "restores",
  shortNames: ["kopiarestore"],
  scope: "Namespaced",
  description:
    "Restores a snapshot into a volume. Without a target, it populates the PVCs that name it in their dataSourceRef.",
  spec: spec.describe("What to restore, where to, and how."),
  status: restoreStatus,
  rules: pinned,
  printerColumns: [
    PHASE,
    { name: "Source", type: "string", jsonPath: ".status.sourceKind" },
    { name: "Target", type: "string", jsonPath: ".status.target.pvcRef.name" },
    { name: "Snapshot", type: "string", jsonPath: ".status.resolved.snapshotID", priority: 1 },
    { name: "Restored", type: "string", jsonPath: ".status.progress.restored" },
    REASON,
    AGE,
  ],
});
