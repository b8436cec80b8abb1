import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";

/** Five fields of cron; `H` stands for a value that is different for every object and always the same for one. */
export const cron = () => z.string().min(1).max(256);

export const jitter = () =>
  v
    .duration()
    .describe(
      "Longest delay after the time that cron gives. For the same scheduled time the delay is always the same.",
    );

export const zoneName = () =>
  z
    .string()
    .min(1)
    .max(64)
    .regex(/^[A-Za-z0-9_+/-]+$/);

export const timezone = () =>
  zoneName().default("UTC").describe("Time zone of the schedule, by its IANA name.");
