import type { FailureClass } from "../../kube/failure.ts";
import type { ProgressLine, Result } from "../../wire/report.ts";

/** Where one run is: a pure function of its Job, its pod, its report and their events. See `stateOfRun`. */
export type RunState =
  /** There is no Job. */
  | { readonly phase: "Absent" }
  /** The Job or its pod is on the way, and nothing complains. `suspended`: the Job waits to be resumed. */
  | { readonly phase: "Preparing"; readonly suspended: boolean }
  | WaitingRun
  | PreparedRun
  | RunningRun
  | EndedRun
  | LostRun;

/** Something keeps the pod from being made or started. It goes on by itself once that is put right. */
export interface WaitingRun {
  readonly phase: "Waiting";
  readonly reason: WaitReason;
  /** What is wrong and what to do about it. */
  readonly message: string;
  /** How soon that may change by itself. */
  readonly class: FailureClass;
  /** ISO 8601, as the cluster noted it. */
  readonly since?: string;
}

/** One word: the same in the condition, the event, the log and the metric. */
export type WaitReason =
  | "PodSecurityDenied"
  | "QuotaExceeded"
  | "WebhookDenied"
  | "ServiceAccountMissing"
  | "PodDenied"
  | "Unschedulable"
  | "ImageUnavailable"
  | "SecretMissing"
  | "MountFailed"
  | "ContainerNotCreated";

/** The mover is connected, has touched neither source nor target, and waits to be told to start. */
export interface PreparedRun {
  readonly phase: "Prepared";
  readonly pod: string;
  readonly node?: string;
  readonly logTail: readonly string[];
}

export interface RunningRun {
  readonly phase: "Running";
  readonly pod: string;
  readonly node?: string;
  /** ISO 8601, by the node's clock. */
  readonly startedAt?: string;
  /** The newest that was reported; absent until the mover says something. */
  readonly progress?: ProgressLine;
  /** The last lines that the mover logged, bounded. */
  readonly logTail: readonly string[];
  /** The pod was told to end: it cleans up, or its node does not answer. */
  readonly terminating: boolean;
}

export interface EndedRun {
  readonly phase: "Ended";
  readonly result: Result;
  /**
   * `Report`: the mover said so. `Container`: it said nothing, and the container's end did. `NotStarted`: there never
   * was a pod, so that nothing can have been done.
   */
  readonly source: "Report" | "Container" | "NotStarted";
  readonly logTail: readonly string[];
  readonly unseen?: Unseen;
}

/** Nobody saw the mover end: its node was given up, or its pod removed by force. It may work on, and leave something late. */
export type Unseen = true;

/** The run is over as far as the cluster knows, and what it achieved is not known. */
export interface LostRun {
  readonly phase: "Lost";
  readonly why: LossReason;
  readonly message: string;
  readonly logTail: readonly string[];
  readonly unseen?: Unseen;
}

/**
 * - `Killed`: by a signal that was no lack of memory. - `Crashed`: the mover ended by a fault of its own.
 * - `Evicted`: the node was short of something, drained, or shut down. - `PodGone`: the pod went without a trace.
 * - `JobGone`: somebody deleted the Job.
 */
export type LossReason = "Killed" | "Crashed" | "Evicted" | "PodGone" | "JobGone";
