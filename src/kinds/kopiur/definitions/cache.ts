import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { count } from "./words.ts";

/** The volume and the sizes of a mover's cache. */
export const cache = () =>
  z.object({
    capacity: v
      .quantity()
      .describe(
        "Size of the cache volume, by default 8Gi; without a storage class, the most that it takes of the node's disk.",
      )
      .optional(),
    storageClassName: v
      .objectName()
      .describe(
        "Storage class of the cache volume, which is made for each run and goes with it. Without it the cache is on the node's disk.",
      )
      .optional(),
    metadataCacheSizeMB: count()
      .describe("Megabytes of indexes and folder listings that are kept.")
      .optional(),
    contentCacheSizeMB: count().describe("Megabytes of file content that are kept.").optional(),
  });
