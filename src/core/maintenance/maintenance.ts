import type { KubeObject } from "../../kube/object.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import type { FailureStatus, JobStatus } from "../reconcile/status_parts.ts";
import type { MoverSpec } from "../work/mover_spec.ts";
import type { RunPolicy } from "../work/run_policy.ts";

/** The two schedules of maintenance. */
export type Which = "quick" | "full";

/** How and when a repository is maintained. An API hands in an object of this shape: it owns the runs. */
export interface Maintenance extends KubeObject {
  readonly spec: MaintenanceSpec;
  readonly status?: MaintenanceState;
}

export interface MaintenanceSpec {
  readonly schedule: {
    readonly quick: CronTimes;
    readonly full: CronTimes;
    readonly timezone: string;
    readonly suspend: boolean;
  };
  readonly ownership: {
    /** The name under which the repository is maintained. Clusters that share one need different names. */
    readonly owner: string;
    /** What follows where somebody else maintains it: it is left alone, someone is asked, or it is taken over. */
    readonly takeoverPolicy: "Never" | "PromptCondition" | "Force";
  };
  readonly check: {
    /** In the same pod, after every run, without reading data. */
    readonly afterEach: boolean;
    /** In a pod of its own, after every full run. */
    readonly afterFull: boolean;
    readonly dataPercent: number;
  };
  readonly mover?: MoverSpec;
  readonly failurePolicy: RunPolicy;
}

interface CronTimes {
  readonly cron: string;
  readonly jitter: string;
}

/** What is kept in the status of whatever maintains a repository. */
export interface MaintenanceState {
  readonly phase?: MaintenancePhase;
  readonly observedGeneration?: number;
  readonly ownership?: OwnershipState;
  readonly quick?: RunTimes;
  readonly full?: RunTimes;
  readonly lastCheck?: CheckState;
  readonly lastVerification?: VerificationState;
  /** Locks of dead owners that were ever removed. */
  readonly locksRemoved?: number;
  readonly handledRunRequest?: string;
  readonly job?: JobStatus;
  readonly failure?: FailureStatus;
  readonly conditions?: readonly Condition[];
  readonly logTail?: string;
  readonly work?: Readonly<Record<string, unknown>>;
}

export type MaintenancePhase = "Pending" | "Ready" | "Running" | "Suspended" | "Failed";

/** Who was last seen to maintain the repository. */
export interface OwnershipState {
  readonly owner?: string;
  /** Only where it is us. */
  readonly claimedAt?: string;
  readonly lastObservedAt?: string;
}

/** The runs of one schedule. */
export interface RunTimes {
  readonly lastRunAt?: string;
  readonly lastSuccessAt?: string;
  readonly lastDurationSeconds?: number;
  readonly nextScheduledAt?: string;
  readonly consecutiveFailures?: number;
  readonly lastContentReclaimedBytes?: number;
}

export interface CheckState {
  readonly at: string;
  readonly healthy: boolean;
  /** How much of the stored data it read. Absent in what earlier versions wrote. */
  readonly dataPercent?: number;
  readonly problems?: readonly string[];
  readonly missing?: MissingState;
}

/** What reading one snapshot as a whole found. */
export interface VerificationState {
  readonly at: string;
  readonly snapshotID: string;
  readonly healthy: boolean;
  readonly files?: number;
}

/** What the storage has lost. */
export interface MissingState {
  readonly packs: number;
  /** Snapshots that need them. Absent where the list of snapshots could not be read. */
  readonly snapshots?: number;
  readonly unexamined?: number;
  /** The newest of the snapshots that need them. */
  readonly hit?: readonly HitState[];
}

export interface HitState {
  readonly snapshotID: string;
  readonly identity: string;
  readonly startedAt?: string;
  /** What stands for it, as namespace/name. */
  readonly backup?: string;
  readonly files: number;
  readonly examples?: readonly string[];
}
