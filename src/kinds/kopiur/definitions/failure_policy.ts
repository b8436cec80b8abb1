import { z } from "zod";

/** How long and how often a run is tried, where the object inherits what it leaves out. */
export const failurePolicyOverride = () =>
  z.object({
    backoffLimit: z.int().min(0).max(100).describe("How often a failed run is tried again.").optional(),
    activeDeadlineSeconds: z.int().min(1).describe("Seconds after which an attempt is ended.").optional(),
  });

/** The same with its own defaults. */
export const failurePolicy = (defaults: {
  readonly backoffLimit: number;
  readonly activeDeadlineSeconds: number;
}) =>
  z
    .object({
      backoffLimit: z
        .int()
        .min(0)
        .max(100)
        .default(defaults.backoffLimit)
        .describe("How often a failed run is tried again."),
      activeDeadlineSeconds: z
        .int()
        .min(1)
        .default(defaults.activeDeadlineSeconds)
        .describe("Seconds after which an attempt is ended."),
    })
    .prefault({});
