import { CustomResourceDefinitions, Pods } from "../../../kube/builtin.ts";
import { LISTED_WHERE_NOT_STREAMED, type Right } from "../../../kube/rights.ts";
import { LISTED_KINDS, SCALABLE_KINDS } from "./workload.ts";

/** What scaling workloads down and up again asks for. Kinds of others that have replicas need more, from their owners. */
export const SCALING_RIGHTS: readonly Right[] = [
  ...SCALABLE_KINDS.map(
    (resource): Right => ({
      resource,
      verbs: ["get", "patch"],
      why: "a workload is scaled down while its volume is restored in place",
    }),
  ),
  ...LISTED_KINDS.map(
    (resource): Right => ({
      resource,
      verbs: ["list"],
      why: "a workload that was scaled down is found again by its mark",
    }),
  ),
  { resource: Pods, verbs: ["list"], why: "those who use a volume are found" },
  {
    resource: CustomResourceDefinitions,
    verbs: ["list"],
    when: ["clusterReads"],
    why: "other kinds with replicas are recognised",
  },
];

/** What it takes to hear of workloads that come to use a volume while it is restored. */
export const WORKLOAD_WATCH_RIGHTS: readonly Right[] = LISTED_KINDS.map((resource) => ({
  resource,
  verbs: ["list", "watch"],
  why: "a workload that is applied while its volume is restored is held at once",
  unseen: LISTED_WHERE_NOT_STREAMED,
}));
