import { z } from "zod";
import type { PrinterColumn } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { JOB_PHASES } from "../phases.ts";

// What several kinds of this API have in common.

/** A text of bounded length. */
export const text = (max: number) => z.string().max(max);

/** How many of something. */
export const count = () => z.int().min(0);

const apiGroup = () =>
  z
    .string()
    .max(253)
    .regex(/^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$/);

const kindName = () =>
  z
    .string()
    .min(1)
    .max(63)
    .regex(/^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$/);

/** The type of an application. */
export const applicationType = () =>
  z.object({
    apiGroup: apiGroup().describe("Its API group. Default: `apps.cozystack.io`.").optional(),
    kind: kindName().describe("Its kind, such as Postgres."),
  });

/** An application of this namespace. */
export const applicationRef = () => applicationType().extend({ name: v.objectName().describe("Its name.") });

/** The object that says how a driver works. */
export const strategyRef = () =>
  z.object({
    apiGroup: apiGroup().describe("Its API group. Default: `strategy.backups.cozystack.io`.").optional(),
    kind: kindName().describe("Its kind, such as Volume, Job or Velero."),
    name: v.objectName().describe("Its name."),
  });

/** The name of a namespace. */
export const namespaceName = () =>
  z
    .string()
    .min(1)
    .max(63)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);

/** An object by name, of this namespace. */
export const localRef = (what: string) => z.object({ name: v.objectName().describe(`Name of the ${what}.`) });

export const parameters = () => v.stringMap({ maxEntries: 32, maxLength: 1024 });

const condition = z.object({
  type: text(316).min(1).describe("What the condition is about."),
  status: z.enum(["True", "False", "Unknown"]).describe("Whether it holds."),
  reason: text(1024).min(1).describe("Why, in one word for programs."),
  message: text(4096).describe("Why, in a sentence for people."),
  observedGeneration: count()
    .describe("The generation of the spec that this condition describes.")
    .optional(),
  lastTransitionTime: v.timestamp().describe("When the status last changed."),
});

/** As generous as Kubernetes' own: drivers of others write them, too. */
export const conditions = () =>
  v.listMap(condition, ["type"], 16).describe("Conditions of the object, by type.").optional();

export const observedGeneration = () =>
  count().describe("The generation of the spec that this status describes.").optional();

/** What the status of a BackupJob and that of a RestoreJob have in common. */
export const jobStatus = {
  phase: z.enum(JOB_PHASES).describe("How far the job has come.").optional(),
  startedAt: v.timestamp().describe("When the driver began.").optional(),
  completedAt: v.timestamp().describe("When the job ended.").optional(),
  message: text(4096).describe("What happens, or why the job failed.").optional(),
  strategyRef: strategyRef().describe("The strategy that the job runs by.").optional(),
  parameters: parameters()
    .describe("The parameters of the BackupClass, as they were when the job began.")
    .optional(),
  driverState: v
    .stringMap({ maxEntries: 32, maxLength: 4096 })
    .describe("What the driver remembers of the job. Only the driver reads it.")
    .optional(),
  observedGeneration: observedGeneration(),
  conditions: conditions(),
};

/** What every kind of the API has. */
export const KIND_NAMES = { categories: ["cozystack-backups"] } as const;

export const PHASE: PrinterColumn = { name: "Phase", type: "string", jsonPath: ".status.phase" };
export const AGE: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };
export const KIND: PrinterColumn = { name: "Kind", type: "string", jsonPath: ".spec.applicationRef.kind" };
export const APPLICATION: PrinterColumn = {
  name: "Application",
  type: "string",
  jsonPath: ".spec.applicationRef.name",
};
/** Why the object is as it is, for `-o wide`. */
export const REASON: PrinterColumn = {
  name: "Reason",
  type: "string",
  jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
  priority: 1,
};
