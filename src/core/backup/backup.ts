import type { KubeObject } from "../../kube/object.ts";
import type { Progress } from "../../wire/progress.ts";
import type { Owner } from "../../wire/snapshot.ts";
import type { Decision } from "../reconcile/decision.ts";
import type { OwnerState, RunOwner } from "../reconcile/run_owner.ts";
import type { RunsOnce } from "../reconcile/spec_fingerprint.ts";
import type { FailureStatus, JobStatus, LossStatus, TimingStatus } from "../reconcile/status_parts.ts";
import type { HooksStatus } from "./hooks_memory.ts";
import type { BackupPlan, FailurePolicy } from "./plan.ts";

/** One run of a backup and the snapshots that it made. An API converts its own object to this shape, and back. */
export interface BackupObject extends KubeObject, RunsOnce {
  readonly status?: BackupState;
}

export type BackupOwner = RunOwner<BackupState> & { readonly object: BackupObject };

export interface BackupState extends OwnerState {
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed" | "Deleting" | "Discovered";
  readonly observedGeneration?: number;
  /** The snapshot, where there is only one. */
  readonly snapshot?: SnapshotEntry;
  readonly snapshots?: readonly SnapshotEntry[];
  /** The snapshots were left in the repository on purpose. */
  readonly orphaned?: boolean;
  readonly timing?: TimingStatus;
  readonly stats?: BackupStats;
  readonly progress?: BackupProgress;
  readonly losses?: readonly LossStatus[];
  readonly hooks?: HooksStatus;
  readonly job?: JobStatus;
  readonly plan?: BackupPlan;
  readonly failure?: FailureStatus;
  readonly logTail?: string;
}

/** A snapshot, as the backup remembers it that stands for it. */
export interface SnapshotEntry {
  /** The engine's. It may change. */
  readonly id: string;
  /** The run that made it, where that is known. */
  readonly runID?: string;
  /** Equal roots mean equal content. */
  readonly root?: string;
  readonly identity: { readonly username: string; readonly hostname: string; readonly sourcePath: string };
  /** The claim that it is of, as `namespace/name`. */
  readonly pvc?: string;
  readonly sizeBytes?: number;
  readonly fidelity?: "Full" | "Engine" | "Degraded";
  /** Nothing had changed: it is the snapshot of an earlier backup. */
  readonly unchanged?: boolean;
  /** Why it lacks more of the volume than its backup was allowed to leave out. */
  readonly incomplete?: string;
  /** The one to whom all files belong, where that is known. */
  readonly owner?: Owner;
}

/** All volumes together. */
export type BackupStats = { readonly [figure in Figure]?: number };

type Figure =
  | "sizeBytes"
  | "bytesNew"
  | "filesNew"
  | "filesModified"
  | "filesUnchanged"
  | "files"
  | "folders"
  | "filesFailed";

export interface BackupProgress extends Progress {
  readonly percent?: number;
  readonly updatedAt?: string;
}

/** A backup as its API asks for it. */
export interface BackupRequest {
  readonly owner: BackupOwner;
  readonly plan: BackupPlan;
  /** What the backup says itself wins over its plan. */
  readonly failurePolicy: FailurePolicy;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Instead of the plan's. */
  readonly compressor?: string | undefined;
  /** Names the one piece of work of its namespace that all backups of one plan are, where runs queue. */
  readonly tenant: string;
  /** What the object carries before anything is made for it, so that it cannot go without a word. */
  readonly hold: { readonly finalizer: string; readonly labels: Readonly<Record<string, string>> };
}

export type BackupDecision<More = never> = Decision<BackupState, More>;
