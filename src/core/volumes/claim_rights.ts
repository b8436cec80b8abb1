import { Nodes, PersistentVolumeClaims, PersistentVolumes, Pods } from "../../kube/builtin.ts";
import type { Right } from "../../kube/rights.ts";

/** What reading claims, and making those that are restored into, asks for. */
export const CLAIM_RIGHTS: readonly Right[] = [
  {
    resource: PersistentVolumeClaims,
    verbs: ["get", "list", "watch", "create"],
    why: "volumes are known by their claims, and restored into new ones",
  },
  {
    resource: PersistentVolumes,
    verbs: ["get"],
    when: ["cluster"],
    why: "a volume says where it can be mounted",
  },
  {
    resource: Nodes,
    verbs: ["get"],
    when: ["clusterReads"],
    why: "a mover must fit the node of the volume that it reads",
  },
  { resource: Pods, verbs: ["list"], why: "a volume in use is read where its pod is" },
];
