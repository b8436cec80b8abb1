import { Deployments, StatefulSets } from "../../../kube/builtin.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";

/** What has replicas, and can be told how many. */
export interface Scalable extends KubeObject {
  readonly spec?: { readonly replicas?: number };
}

/** Something whose pods can be made to go away, and to come back. */
export interface Workload {
  readonly resource: Resource<Scalable>;
  readonly object: Scalable;
  /** As many as are wanted now. */
  readonly replicas: number;
}

export interface WorkloadName {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** A workload that we may not read. */
export interface HiddenWorkload {
  readonly resource: Resource;
  readonly name: string;
}

/** The kinds that every cluster has. */
export const SCALABLE_KINDS: readonly Resource<Scalable>[] = [
  Deployments as Resource<Scalable>,
  StatefulSets as Resource<Scalable>,
  { group: "apps", version: "v1", kind: "ReplicaSet", plural: "replicasets", namespaced: true },
  {
    group: "",
    version: "v1",
    kind: "ReplicationController",
    plural: "replicationcontrollers",
    namespaced: true,
  },
];

/** Those that are looked through for marks: the others have one of these on top. */
export const LISTED_KINDS = SCALABLE_KINDS.slice(0, 2);

/** How a workload is named to people. */
export function workloadText({ object }: Workload): string {
  return `${object.kind} ${object.metadata.name}`;
}

export function hiddenText({ resource, name }: HiddenWorkload): string {
  return `${resource.kind} ${name}`;
}

/** What is to be granted to scale workloads of these kinds. */
export function scalingRule(resources: readonly Resource[]): string {
  const names = resources.map(({ plural, group }) => (group ? `${plural}.${group}` : plural));
  return `get and patch on ${[...new Set(names)].join(", ")} (the chart's rbac.extraRules)`;
}
