import type { EngineName } from "../../wire/capabilities.ts";
import type { Owner } from "../../wire/snapshot.ts";
import type { SnapshotSettings } from "../../wire/work.ts";
import type { Holder } from "../policy/identity.ts";
import type { AccessMode } from "../volumes/claim_request.ts";
import type { MoverSpec } from "../work/mover_spec.ts";
import type { HooksSpec } from "./hooks_series.ts";

/** What was resolved when the run began: whatever is edited or deleted meanwhile, the run goes on with this. */
export interface BackupPlan {
  readonly repository: PlannedRepository;
  readonly engine: EngineName;
  /** How the volumes are captured, as far as that is shown. */
  readonly copyMethod?: string;
  readonly deletionPolicy: DeletionPolicy;
  readonly sources: readonly PlannedSource[];
  readonly identity: Holder;
  /** The mover runs as this user, where the settings name no other. */
  readonly owner?: Owner;
  readonly settings: PlanSettings;
}

export type DeletionPolicy = "Delete" | "Retain" | "Orphan";

export interface PlannedRepository {
  readonly name: string;
  /** Absent for one of the whole cluster. */
  readonly namespace?: string;
  readonly uid?: string;
  /** Of the repository itself: another one is never taken for it. */
  readonly uniqueID?: string;
}

export interface PlannedSource {
  /** The claim, as `namespace/name`. */
  readonly pvc: string;
  /** The path that is recorded. */
  readonly sourcePath: string;
  /** Of the claim: another one of its name may be empty, or hold something else. */
  readonly uid?: string;
  /** What the claim is like, for a new one after its loss. */
  readonly claim?: {
    readonly capacity?: string;
    readonly storageClassName?: string;
    readonly accessModes?: readonly AccessMode[];
  };
}

/** What a run goes by. */
export interface PlanSettings {
  readonly policy: SnapshotPolicy;
  readonly mover?: MoverSpec;
  readonly failurePolicy: FailurePolicy;
  readonly hooks?: HooksSpec;
  /** Default: `Direct`. */
  readonly copyMethod?: "Snapshot" | "Clone" | "Direct";
  /** Default: `None`. */
  readonly groupBy?: "VolumeGroupSnapshot" | "None";
  readonly staging?: {
    readonly timeout: string;
    readonly storageClassName?: string;
    readonly accessModes?: readonly AccessMode[];
  };
  readonly volumeSnapshotClassName?: string;
  readonly volumeGroupSnapshotClassName?: string;
}

/** How often and how long a backup is tried. */
export interface FailurePolicy {
  /** Attempts after the first. */
  readonly backoffLimit: number;
  /** Over all attempts, from when only the start of the first one is missing, in seconds. */
  readonly activeDeadlineSeconds: number;
  /** Until the mover of an attempt has started, in seconds. Default 600. */
  readonly startDeadlineSeconds?: number;
}

/** What of the volumes is stored, and how. */
export interface SnapshotPolicy extends Pick<SnapshotSettings, "splitter" | "fidelity" | "extraArgs"> {
  readonly compression?: { readonly compressor?: string; readonly neverCompress?: readonly string[] };
  readonly ignore?: {
    readonly paths?: readonly string[];
    readonly files?: readonly string[];
    readonly cacheDirs: boolean;
    readonly ignoreIdenticalSnapshots: boolean;
    readonly otherFilesystems: boolean;
  };
  readonly unreadableFiles: "Fail" | "Skip";
}

/** Whether a run may come to refer to an earlier snapshot, instead of making the same again. */
export function mayRefer({ settings }: BackupPlan): boolean {
  return settings.policy.ignore?.ignoreIdenticalSnapshots ?? false;
}

/** The same, for a backup that has succeeded: which claims they were is of no use then, and makes room for the snapshots. */
export function withoutUIDs<P extends BackupPlan>(plan: P): P {
  return { ...plan, sources: plan.sources.map(({ uid: _, ...source }) => source) };
}
