import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { text } from "./words.ts";

const condition = z.object({
  type: text(128).min(1).describe("What the condition is about."),
  status: z.enum(["True", "False", "Unknown"]).describe("Whether it holds."),
  reason: text(128).min(1).describe("Why, in one word for programs."),
  message: text(1024).describe("Why, in a sentence for people."),
  observedGeneration: z
    .int()
    .min(0)
    .describe("The generation of the spec that this condition describes.")
    .optional(),
  lastTransitionTime: v.timestamp().describe("When the status last changed."),
});

/** The conditions of a status. */
export const conditions = () =>
  v.listMap(condition, ["type"], 16).describe("Conditions of the object, by type.").optional();

export const observedGeneration = () =>
  z.int().min(0).describe("The generation of the spec that this status describes.").optional();
