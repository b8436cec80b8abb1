import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { JOB_DRIVER_GROUP, STRATEGY_GROUP, VERSION } from "../group.ts";
import { AGE, KIND_NAMES, namespaceName, text } from "./parts.ts";

const CONTEXT =
  "A PodTemplateSpec. Every text in it is a template with `.Application`, `.Parameters`, `.Backup`, `.Job`, `.Mode`, `.Namespace` and, with credentials, `.Credentials`.";

const spec = z
  .object({
    template: v
      .opaque()
      .describe(
        `The pod that backs an application up. ${CONTEXT} It also restores, if it names \`.Mode\` and restoreTemplate is absent.`,
      ),
    restoreTemplate: v
      .opaque()
      .describe(
        `The pod that restores. ${CONTEXT} Without \`.Application\` in it, it restores only into the application that was backed up.`,
      )
      .optional(),
    deleteTemplate: v
      .opaque()
      .describe(`The pod that deletes the data of a Backup. ${CONTEXT} Default: the data stays.`)
      .optional(),
    credentials: z
      .object({
        secretRef: z
          .object({
            name: v.objectName().describe("Its name."),
            namespace: namespaceName().describe("Its namespace."),
          })
          .describe("The Secret."),
      })
      .describe(
        "A Secret of yours that the pods need. The operator copies it into the namespace of the application while a pod runs, and deletes the copy with the pod; templates name the copy as `.Credentials`. People who may read Secrets there, or enter or create pods, can read it while the pod runs. You have to be allowed to get the Secret, or its namespace lists it in its annotation `backups.cozystack.io/lendable-secrets`. Needs an operator that may lend Secrets.",
      )
      .optional(),
    timeout: v.duration().default("2h").describe("How long a pod may take."),
    artifact: z
      .object({ uri: text(1024).min(1).describe("Where the data is. A template.") })
      .describe(
        "What a Backup says of its data. A pod can say more: as its termination message it may leave an object of JSON with `uri`, `sizeBytes` and `checksum`.",
      )
      .optional(),
  })
  .describe("The pods that do the work.");

const names = (group: string, kind: string, plural: string, description: string) =>
  defineKind({
    ...KIND_NAMES,
    group,
    version: VERSION,
    kind,
    plural,
    scope: "Cluster",
    description,
    spec,
    printerColumns: [{ name: "Timeout", type: "string", jsonPath: ".spec.timeout" }, AGE],
  });

export const job = names(
  STRATEGY_GROUP,
  "Job",
  "jobs",
  "Backs an application up, and restores it, with a pod that you describe.",
);

export const jobBackupStrategy = names(
  JOB_DRIVER_GROUP,
  "JobBackupStrategy",
  "jobbackupstrategies",
  "The same as a Job of `strategy.backups.cozystack.io`, under another name.",
);
