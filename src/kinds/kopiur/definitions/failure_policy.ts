import { z } from "zod";

const startDeadlineSeconds = () =>
  z
    .int()
    .min(1)
    .describe(
      "How long the mover of an attempt may take to start, in seconds, such as when its image or a Secret is missing. Default: 600. After that the attempt has failed, and its slot is free for others.",
    )
    .optional();

const ACTIVE_DEADLINE =
  "How long the work may take over all attempts, in seconds. The time counts from when nothing else stands before the first attempt: waiting for a Secret, an image or a node counts, waiting for the repository, a slot, hooks or a copy of the volume does not.";

/** Retries and deadline of a run, where the object inherits what it leaves out. */
export const failurePolicyOverride = () =>
  z.object({
    backoffLimit: z.int().min(0).max(100).describe("How many times to retry a failed run.").optional(),
    activeDeadlineSeconds: z.int().min(1).describe(ACTIVE_DEADLINE).optional(),
    startDeadlineSeconds: startDeadlineSeconds(),
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
        .describe("How many times to retry a failed run."),
      activeDeadlineSeconds: z.int().min(1).default(defaults.activeDeadlineSeconds).describe(ACTIVE_DEADLINE),
      startDeadlineSeconds: startDeadlineSeconds(),
    })
    .prefault({});
