import type { KubeObject } from "../../../kube/object.ts";

/** Annotation of a workload that was scaled down: the UIDs of those that need it so. The last one brings it back. */
export const SCALED_FOR = "holdfast.dev/scaled-down-for";
/** Annotation of a workload that was scaled down: the replicas that it had. */
export const SCALED_FROM = "holdfast.dev/scaled-down-from";

/**
 * Annotation of a restore that is one of several: what it scaled down stays down until somebody takes the annotation away,
 * or deletes the restore. Otherwise a workload would start when the first of its volumes is whole.
 */
export const KEEPS_DOWN = "holdfast.dev/keeps-workloads-down";

/** Those for whom a workload was scaled down. */
export function holdersOf({ metadata }: KubeObject): readonly string[] {
  return (metadata.annotations?.[SCALED_FOR] ?? "").split(",").filter((uid) => uid !== "");
}

/** The replicas that a workload had before it was scaled down; undefined where it was not. */
export function scaledFrom({ metadata }: KubeObject): number | undefined {
  const text = metadata.annotations?.[SCALED_FROM];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
