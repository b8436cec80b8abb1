import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { cache } from "./cache.ts";
import { labelSelector } from "./selectors.ts";

/** How the pods look that move the data. */
export const mover = () =>
  z.object({
    resources: v
      .opaque()
      .describe(
        "Requests and limits, as a container has them. The engine is sized to the memory limit. Default: requests of 250m and 512Mi, and a memory limit of 4Gi.",
      )
      .optional(),
    cache: cache().describe("Cache of the engine, instead of the repository's defaults.").optional(),
    securityContext: v
      .opaque()
      .describe(
        "Security context of the container, over the default: not root, nothing allowed, user 65534 or, where that is known and of use, the only owner of the files. It wins over an inherited one, field by field.",
      )
      .optional(),
    inheritSecurityContextFrom: z
      .object({
        podSelector: labelSelector().describe("Labels of the workload's pods."),
        container: z
          .string()
          .max(63)
          .describe("Container whose context is taken. Default: the pod's first.")
          .optional(),
      })
      .describe(
        "Run as a running pod of the workload does. An fsGroup becomes a supplemental group. A run fails when no pod matches.",
      )
      .optional(),
    supplementalGroups: v
      .listSet(z.int().min(0).max(4294967295), 32)
      .describe("Groups that the mover is a member of besides its own.")
      .optional(),
    privilegedMode: z
      .boolean()
      .default(false)
      .describe(
        "Run as root, so that all can be read and owners be restored. The namespace must consent with the annotation kopiur.home-operations.com/allow-privileged-movers.",
      ),
    parallel: z
      .int()
      .min(1)
      .max(256)
      .describe("Files that are worked on at once. Default: the engine's choice.")
      .optional(),
    nodeSelector: v.labels().describe("Labels of the nodes to run on.").optional(),
    tolerations: z.array(v.opaque()).max(32).describe("Taints to tolerate, as a pod has them.").optional(),
    affinity: v.opaque().describe("Where to run, as a pod has it.").optional(),
    priorityClassName: v.objectName().describe("Priority class of the pods.").optional(),
    labels: v.labels().describe("Labels for the pods.").optional(),
    annotations: v.annotations().describe("Annotations for the pods.").optional(),
  });
