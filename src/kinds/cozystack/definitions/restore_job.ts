import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { GROUP, VERSION } from "../group.ts";
import {
  AGE,
  applicationRef,
  jobStatus,
  KIND_NAMES,
  localRef,
  namespaceName,
  PHASE,
  REASON,
} from "./parts.ts";

const spec = v.rule(
  z.object({
    backupRef: localRef("Backup").describe("The Backup to restore, in this namespace."),
    targetApplicationRef: applicationRef()
      .describe("The application to restore into. Default: the one that was backed up.")
      .optional(),
    targetNamespace: namespaceName()
      .describe(
        "The namespace of the target application. If it is another one, you have to be allowed to create RestoreJobs there, or that namespace lists this one in its annotation `backups.cozystack.io/allowed-restore-namespaces`. Default: this namespace.",
      )
      .optional(),
  }),
  { rule: "self == oldSelf", message: "spec is immutable: create another RestoreJob" },
);

export const restoreJob = defineKind({
  ...KIND_NAMES,
  group: GROUP,
  version: VERSION,
  kind: "RestoreJob",
  plural: "restorejobs",
  scope: "Namespaced",
  description: "Restores a Backup once, into the application that it was taken of or into another one.",
  spec: spec.describe("What to restore, and where to."),
  status: z.object(jobStatus).describe("How the job is getting on."),
  printerColumns: [
    PHASE,
    { name: "Backup", type: "string", jsonPath: ".spec.backupRef.name" },
    { name: "Target", type: "string", jsonPath: ".spec.targetApplicationRef.name" },
    { name: "Into", type: "string", jsonPath: ".spec.targetNamespace", priority: 1 },
    { name: "Started", type: "date", jsonPath: ".status.startedAt" },
    { name: "Completed", type: "date", jsonPath: ".status.completedAt" },
    { name: "Message", type: "string", jsonPath: ".status.message", priority: 1 },
    REASON,
    AGE,
  ],
});
