import type { Resource } from "../../../../kube/resource.ts";
import type { Scalable } from "../workload.ts";

/** A kind of workloads that is not Kubernetes' own. */
export const ROLLOUTS: Resource<Scalable> = {
  group: "argoproj.io",
  version: "v1alpha1",
  kind: "Rollout",
  plural: "rollouts",
  namespaced: true,
};
