import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { STRATEGY_GROUP, VERSION } from "../group.ts";
import { AGE, KIND_NAMES, namespaceName } from "./parts.ts";

const CONTEXT =
  "Every text in it is a template with `.Application`, `.Parameters`, `.Backup`, `.Job`, `.Mode` and `.Namespace`.";

export const velero = defineKind({
  ...KIND_NAMES,
  group: STRATEGY_GROUP,
  version: VERSION,
  kind: "Velero",
  plural: "veleros",
  scope: "Cluster",
  description: "Backs applications up, and restores them, with a Velero that runs in the cluster.",
  spec: z
    .object({
      namespace: namespaceName().default("velero").describe("Velero's own namespace."),
      backupTemplate: z
        .object({
          spec: v
            .opaque()
            .describe(
              `The spec of Velero's Backup. ${CONTEXT} Its \`includedNamespaces\` are filled in: the namespace of the job, and no other. Its \`ttl\` is ten years unless you set it.`,
            ),
        })
        .describe("Velero's Backup."),
      restoreTemplate: z
        .object({ spec: v.opaque().describe(`The spec of Velero's Restore. ${CONTEXT}`) })
        .describe(
          "Velero's Restore. Its `backupName` and `includedNamespaces` are filled in, and `namespaceMapping` for a RestoreJob into another namespace. Without `.Application` in it, it restores only the application that was backed up.",
        )
        .optional(),
    })
    .describe("What to ask of Velero."),
  printerColumns: [{ name: "Namespace", type: "string", jsonPath: ".spec.namespace" }, AGE],
});
