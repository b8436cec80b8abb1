import { z } from "zod";
import type { PrinterColumn } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";

/** A text of bounded length. */
export const text = (max: number) => z.string().max(max);

/** How many of something. */
export const count = () => z.int().min(0);

export const namespaceName = () =>
  z
    .string()
    .min(1)
    .max(63)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);

/** Five fields of cron, in UTC. */
export const cron = () => z.string().min(1).max(256);

const condition = z.object({
  type: text(128).min(1).describe("What the condition is about."),
  status: z.enum(["True", "False", "Unknown"]).describe("Whether it holds."),
  reason: text(128).min(1).describe("Why, in one word for programs."),
  message: text(1024).describe("Why, in a sentence for people."),
  observedGeneration: count()
    .describe("The generation of the spec that this condition describes.")
    .optional(),
  lastTransitionTime: v.timestamp().describe("When the status last changed."),
});

/** What every status has. */
export const common = () => ({
  conditions: v.listMap(condition, ["type"], 16).describe("Conditions of the object, by type.").optional(),
  observedGeneration: count().describe("The generation of the spec that this status describes.").optional(),
  work: v.opaque().describe("Internal: what the operator remembers about its runs, by purpose.").optional(),
});

/** What the engine room keeps of a backup, a restore or a repository beyond the fields of this API. */
export const state = () =>
  v.opaque().describe("Internal: details of the run, such as its Job, attempts and log.").optional();

export const AGE: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };
export const PHASE: PrinterColumn = { name: "Phase", type: "string", jsonPath: ".status.phase" };

/** Why the object is as it is, for `-o wide`. */
export const REASON: PrinterColumn = {
  name: "Reason",
  type: "string",
  jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
  priority: 1,
};

/** What every kind of the group has. */
export const KIND_NAMES = { categories: ["autorestore"] } as const;
