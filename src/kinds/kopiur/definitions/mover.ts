import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { cache } from "./cache.ts";
import { labelSelector } from "./selectors.ts";

/** Settings of the pods that move the data. */
export const mover = () =>
  z.object({
    resources: v
      .opaque()
      .describe(
        "Requests and limits, as in a container. The engine adapts to the memory limit. Default: requests of 250m and 512Mi, and a memory limit of 4Gi.",
      )
      .optional(),
    cache: cache().describe("Cache of the engine. Default: that of the repository.").optional(),
    securityContext: v
      .opaque()
      .describe(
        "Security context of the container. Default: not root, no capabilities, and user 65534 or, if it is known, the only owner of the files. Each field set here overrides the default and an inherited context.",
      )
      .optional(),
    inheritSecurityContextFrom: z
      .object({
        podSelector: labelSelector().describe("Labels of the workload's pods."),
        container: z
          .string()
          .max(63)
          .describe("Container whose context to inherit. Default: the pod's first.")
          .optional(),
      })
      .describe(
        "Inherit the security context of a running pod of the workload. An fsGroup becomes a supplemental group. While no running pod matches, the object says so (NoWorkloadPod); a Backup fails after failurePolicy.startDeadlineSeconds.",
      )
      .optional(),
    supplementalGroups: v
      .listSet(z.int().min(0).max(4294967295), 32)
      .describe("Supplemental groups of the mover.")
      .optional(),
    privilegedMode: z
      .boolean()
      .default(false)
      .describe(
        "Run as root, to read all files and to restore owners. The namespace must allow it with the annotation kopiur.home-operations.com/allow-privileged-movers.",
      ),
    parallel: z
      .int()
      .min(1)
      .max(256)
      .describe("Number of files to process at once. Default: the engine's choice.")
      .optional(),
    nodeSelector: v.labels().describe("Labels of the nodes to run on.").optional(),
    tolerations: z.array(v.opaque()).max(32).describe("Tolerations, as in a pod.").optional(),
    affinity: v.opaque().describe("Affinity, as in a pod.").optional(),
    priorityClassName: v.objectName().describe("Priority class of the pods.").optional(),
    labels: v.labels().describe("Labels for the pods.").optional(),
    annotations: v.annotations().describe("Annotations for the pods.").optional(),
  });
