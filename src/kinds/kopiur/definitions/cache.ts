import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { count } from "./words.ts";

/** The volume and the sizes of a mover's cache. */
export const cache = () =>
  z.object({
    capacity: v
      .quantity()
      .describe(
        "Size of the cache volume. Default: 8Gi. Without a storage class: the limit on the node's disk.",
      )
      .optional(),
    storageClassName: v
      .objectName()
      .describe(
        "Storage class of the cache volume, which exists for the duration of a run. Without it, the cache is on the node's disk.",
      )
      .optional(),
    metadataCacheSizeMB: count().describe("Megabytes of indexes and folder listings to cache.").optional(),
    contentCacheSizeMB: count().describe("Megabytes of file content to cache.").optional(),
  });
