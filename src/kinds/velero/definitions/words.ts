import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";

/** A text of bounded length. */
export const text = (max: number) => z.string().max(max);

/** Whatever Velero itself would take for a name. */
export const name = () => text(253);

export const moment = () => v.timestamp().nullable().optional();

export const message = () => text(16_384).optional();

export const bytes = () => z.int().meta({ format: "int64" }).optional();

/** Settings by name. */
export const settings = () => v.stringMap({ maxEntries: 256, maxLength: 4096 });

export const secretKey = () =>
  z.object({
    // As Kubernetes itself has it for such a reference.
    name: name().default("").describe("Name of the Secret."),
    key: name().describe("Key in the Secret."),
    optional: z.boolean().describe("Whether the Secret or the key may be missing.").optional(),
  });
