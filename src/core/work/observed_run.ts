import type { CoreEvent, Job, Pod } from "../../kube/builtin.ts";
import type { HeardReport } from "./heard_report.ts";

/** Everything that is known of one run at one moment. */
export interface ObservedRun {
  readonly id: string;
  readonly job?: Job;
  /** The newest of its pods. */
  readonly pod?: Pod;
  readonly report: HeardReport;
  /** Of the pod while its mover has not started; of the Job while there is no pod. */
  readonly events: readonly Pick<CoreEvent, "type" | "reason" | "message" | "lastTimestamp">[];
  /** The pod was told to end, and its time to do so is long over. */
  readonly overdue?: OverduePod;
}

export interface OverduePod {
  readonly node: NodeTruth;
}

/**
 * - `Ready`: the node answers, and will end the pod. - `Silent`: it does not answer, and may still run the pod.
 * - `Dead`: it is gone from the cluster, or an administrator has declared it out of service.
 * - `Unknown`: we may not look.
 */
export type NodeTruth = "Ready" | "Silent" | "Dead" | "Unknown";
