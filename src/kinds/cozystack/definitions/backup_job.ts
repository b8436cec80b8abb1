import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { GROUP, VERSION } from "../group.ts";
import {
  AGE,
  APPLICATION,
  applicationRef,
  jobStatus,
  KIND,
  KIND_NAMES,
  localRef,
  PHASE,
  REASON,
} from "./parts.ts";

const spec = v.rule(
  z.object({
    planRef: localRef("Plan").describe("The Plan that created this job, if any.").optional(),
    applicationRef: applicationRef().describe("The application to back up, in this namespace."),
    backupClassName: v.objectName().describe("The BackupClass, which gives the strategy and its parameters."),
  }),
  { rule: "self == oldSelf", message: "spec is immutable: create another BackupJob" },
);

export const backupJob = defineKind({
  ...KIND_NAMES,
  group: GROUP,
  version: VERSION,
  kind: "BackupJob",
  plural: "backupjobs",
  scope: "Namespaced",
  description: "One run that backs an application up. A Plan creates them, and so may you.",
  spec: spec.describe("What to back up."),
  status: z
    .object({
      ...jobStatus,
      backupRef: localRef("Backup").describe("The Backup that the job made.").optional(),
    })
    .describe("How the job is getting on."),
  printerColumns: [
    PHASE,
    KIND,
    APPLICATION,
    { name: "Class", type: "string", jsonPath: ".spec.backupClassName" },
    { name: "Backup", type: "string", jsonPath: ".status.backupRef.name" },
    { name: "Started", type: "date", jsonPath: ".status.startedAt" },
    { name: "Message", type: "string", jsonPath: ".status.message", priority: 1 },
    REASON,
    AGE,
  ],
});
