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
      .describe("Only this file or folder of the snapshot. What a folder holds goes into the target itself.")
      .optional(),
    existingFiles: z
      .enum(["Refuse", "Overwrite", "OverwriteChanged", "Keep"])
      .default("Overwrite")
      .describe(
        "What is in the target already. Refuse: it must be empty. OverwriteChanged: a file of the same size and time stays; kopia can do so with snapshots of full fidelity alone. Keep: every file stays; where an earlier restore was broken off, it is refused.",
      ),
    enableFileDeletion: z.boolean().default(false).describe("Delete what the snapshot does not hold."),
    ignorePermissionErrors: z
      .boolean()
      .default(true)
      .describe("Go on where owners and modes cannot be set; status counts what differs."),
    ownership: z
      .enum(["Exact", "BestEffort", "Skip"])
      .describe(
        "Exact: owners and attributes as recorded, or nothing is written. BestEffort: what can be set is, the rest is counted. Skip: all belongs to the mover. Default: BestEffort with ignorePermissionErrors, otherwise Exact.",
      )
      .optional(),
    writeFilesAtomically: z
      .boolean()
      .default(true)
      .describe(
        "Over data that is there, write every file beside its place, then rename it: whenever the restore is broken off, each file is the old one or the new one. That needs room for the largest files twice, and leaves no holes. Into an empty volume files are written in their places. So they are by restic, which cannot do otherwise, and by kopia where the snapshot holds a name of more than 245 bytes.",
      ),
    sparse: z
      .boolean()
      .default(true)
      .describe(
        "Write long runs of zeros as holes. kopia does not where it writes files atomically over data that is there.",
      ),
  })
  .prefault({})
  .describe("How the data is written.");

const policy = z
  .object({
    onMissingSnapshot: z
      .enum(["Fail", "Continue"])
      .describe(
        "What follows from a repository that answers, and holds no such snapshot: failure, or an empty volume. Default: Continue for fromConfig while the repository holds no snapshot at all of its identity and the recipe has not backed the volume up before, otherwise Fail. A repository that does not answer is never taken for an empty one.",
      )
      .optional(),
    waitTimeout: v
      .duration()
      .default("5m")
      .describe(
        "How long to wait for the source: the Backup or recipe, and a repository that can be used. Then a Restore with a target has failed until it is edited; a claim that names one without goes on waiting, and says so. A Backup that is being made has as long as it needs.",
      ),
  })
  .prefault({})
  .describe("What happens when the source is not there.");

const spec = v.rule(
  z.object({
    repository: repositoryRef().describe("The repository. Needed with source.identity alone.").optional(),
    source: restoreSource(),
    target: restoreTarget().optional(),
    options,
    policy,
    mover: mover().describe("The pods that move the data.").optional(),
    failurePolicy: failurePolicy({ backoffLimit: 2, activeDeadlineSeconds: 86_400 }).describe(
      "How long and how often it is tried.",
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
  message: `${field} is frozen once data is being written: create another Restore`,
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
    "Brings a snapshot back into a volume. Without a target it is a source for claims that name it in their dataSourceRef.",
  spec: spec.describe("What is restored, where to, and how."),
  status: restoreStatus,
  rules: pinned,
  printerColumns: [
    PHASE,
    { name: "Source", type: "string", jsonPath: ".status.sourceKind" },
    { name: "Target", type: "string", jsonPath: ".status.target.pvcRef.name" },
    { name: "Snapshot", type: "string", jsonPath: ".status.resolved.snapshotID", priority: 1 },
    { name: "Restored", type: "integer", jsonPath: ".status.progress.bytesRestored" },
    REASON,
    AGE,
  ],
});
