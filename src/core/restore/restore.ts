import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { EngineName, ExistingFiles } from "../../wire/capabilities.ts";
import type { Fidelity, Owner } from "../../wire/snapshot.ts";
import type { Ownership } from "../../wire/work.ts";
import type { OwnerState } from "../reconcile/run_owner.ts";
import type { RunsOnce } from "../reconcile/spec_fingerprint.ts";
import type { FailureStatus, JobStatus, LossStatus, TimingStatus } from "../reconcile/status_parts.ts";
import type { Violation } from "../reconcile/violation.ts";
import type { AccessMode, ClaimRequest } from "../volumes/claim_request.ts";
import type { MoverSpec } from "../work/mover_spec.ts";
import type { RunPolicy } from "../work/run_policy.ts";
import type { PausedOwner } from "../workloads/gitops/observe_gitops.ts";

/**
 * A restore as the engine room does it. An API hands its own object in where that has this shape, and makes one of it
 * where it has not. Where the data comes from, only the API knows.
 */
export interface Restore extends KubeObject, RunsOnce {
  readonly spec: RestoreSpec;
  readonly status?: RestoreState;
}

export interface RestoreSpec {
  /** Where the data goes. Without one it is a source for claims that name it in their dataSourceRef. */
  readonly target?: RestoreTarget;
  readonly options: RestoreOptions;
  /** How long a source that is not there is waited for. */
  readonly policy: { readonly waitTimeout: string };
  readonly mover?: MoverSpec;
  readonly failurePolicy: RunPolicy;
}

export type RestoreTarget =
  /** A new claim, which nobody may have before its data is in it. */
  | { readonly pvc: NewClaim; readonly pvcRef?: never }
  /** A claim that is there already. */
  | {
      readonly pvcRef: ExistingClaim;
      readonly pvc?: never;
    };

/** A claim that is there already, and may be somebody's. */
export interface ExistingClaim {
  readonly name: string;
  readonly scaleDownWorkloads: boolean;
  /** Workloads are down before the repository is asked: none may start on the volume meanwhile. Default false. */
  readonly holdWorkloads?: boolean;
  /** What becomes of the workloads after a failure that has left the volume half written. Default `StayDown`. */
  readonly onFailure?: "StayDown" | "ScaleUp";
}

/** A claim that is to be made for the data. */
export interface NewClaim {
  readonly name: string;
  readonly storageClassName?: string;
  readonly capacity: number | string;
  readonly accessModes: readonly AccessMode[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface RestoreOptions {
  /** Only this file or folder of the snapshot. */
  readonly path?: string;
  /** The folder of the volume that gets the file, or what is in the folder. Default: where it was. */
  readonly targetPath?: string;
  readonly existingFiles: ExistingFiles;
  readonly enableFileDeletion: boolean;
  /** It is meant, also where most of the volume goes. Default false. */
  readonly confirmDeletion?: boolean;
  readonly writeFilesAtomically: boolean;
  readonly sparse: boolean;
  readonly ownership?: Ownership;
  /** Says the same in fewer words, where `ownership` says nothing. */
  readonly ignorePermissionErrors?: boolean;
  /** Appended to the engine's command. */
  readonly extraArgs?: readonly string[];
}

type Phase = "Pending" | "Resolving" | "Restoring" | "Completed" | "Failed";

/** What the engine room keeps in the status of a restore. */
export interface RestoreState extends OwnerState {
  readonly phase?: Phase;
  readonly observedGeneration?: number;
  readonly resolved?: Pinned;
  /** It waits for its source, or has failed because that was not there in time. */
  readonly waiting?: Waiting;
  readonly target?: {
    /** The claim that the volume is filled through. */
    readonly pvcPrime?: string;
    /** `uid`: where the claim is written itself. What is written is in no other of its name. */
    readonly pvcRef?: { readonly name: string; readonly uid?: string };
  };
  /** Those that name it in their dataSourceRef; of many, those that need something. */
  readonly claims?: readonly ClaimStatus[];
  readonly claimCount?: number;
  readonly scaledWorkloads?: readonly ScaledWorkload[];
  readonly pausedGitOps?: readonly PausedOwner[];
  readonly timing?: TimingStatus;
  readonly progress?: RestoreProgress;
  readonly fidelity?: Fidelity;
  readonly incomplete?: string;
  readonly losses?: readonly LossStatus[];
  readonly job?: JobStatus;
  readonly failure?: FailureStatus;
  readonly logTail?: string;
}

/** A reference to a repository, as it is read from anywhere: one of the whole cluster is in no namespace. */
export interface RepositoryRef {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** What is restored, once that is decided: it does not change any more. */
export interface Pinned {
  /** The object that stands for the backup, where there is one. */
  readonly backupRef?: { readonly name: string; readonly namespace?: string };
  readonly repository?: RepositoryRef & { readonly uid?: string; readonly uniqueID?: string };
  readonly identity?: { readonly username: string; readonly hostname: string; readonly sourcePath: string };
  readonly snapshotID?: string;
  readonly root?: string;
  readonly runID?: string;
  readonly owner?: Owner;
  readonly snapshotTime?: string;
  /** Of its files, where known. */
  readonly sizeBytes?: number;
  /** What of its source it does not hold. */
  readonly lacks?: string;
  readonly fidelity?: Fidelity;
  /** The repository answered that it holds no such snapshot. */
  readonly noSnapshot?: boolean;
  /** Why what this repository holds, or one that was asked before, is not taken: the volume does not start empty. */
  readonly passedOver?: string;
  readonly pinnedAt?: string;
}

export interface Waiting {
  readonly since: string;
  /** The fingerprint of the spec when it began to wait: an edit begins anew. */
  readonly edition: string;
}

export interface ClaimStatus {
  readonly name: string;
  readonly uid?: string;
  readonly phase: Phase;
  readonly pvcPrime?: string;
  readonly message?: string;
}

export interface ScaledWorkload {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
  readonly replicas: number;
}

export interface RestoreProgress {
  readonly bytesRestored?: number;
  readonly filesRestored?: number;
  readonly bytesTotal?: number;
  readonly filesTotal?: number;
  readonly secondsRemaining?: number;
  readonly errors?: number;
  readonly updatedAt?: string;
}

/** What an API says of all of its restores. */
export interface RestoreApi {
  readonly resource: Resource<Restore>;
  /** Keeps a restore until what was scaled down for it is back. */
  readonly finalizer: string;
  readonly words: RestoreWords;
  /** What a restore asks of an engine, or of a snapshot of this fidelity, that the engine cannot do. */
  limit(spec: RestoreSpec, engine: EngineName, fidelity: Fidelity | undefined): Violation | undefined;
  /** The status as its API shows it. Default: as it was decided. */
  shown?(status: object): object;
}

/** How an API's fields are called in what people are told to do. */
export interface RestoreWords {
  /** Names the very snapshot. */
  readonly snapshot: string;
  /** Names the moment of a snapshot. */
  readonly moment: string;
  /** Both fields that choose among the snapshots of an identity. */
  readonly point: string;
  /** Takes an empty volume where there is no snapshot. */
  readonly startEmpty: string;
  readonly newClaim: string;
  readonly existingClaim: string;
  /** Has workloads scaled down. */
  readonly scaleDown: string;
  /** Has them brought back after a failure, too. */
  readonly scaleUpOnFailure: string;
  /** Confirms that most of a volume's files are deleted. */
  readonly confirmDeletion: string;
  /** Lets a mover set owners and modes. */
  readonly privileges: string;
  /** Where the status lists what did not come back. */
  readonly losses: string;
  /** Where the status lists what was scaled down. */
  readonly scaledWorkloads: string;
  /** How one that has failed is tried again. Default: another one has to be created. */
  readonly tryAgain?: string;
  /** How workloads come back that wait for data which does not come. Default: nothing is said of that. */
  readonly wayOut?: string;
}

/** A restore, at one moment. */
export interface RestoreView {
  readonly restore: Restore;
  readonly api: RestoreApi;
  readonly now: number;
}

/** The claim that a restore asks for, empty and made for it alone. */
export function claimRequest({ metadata }: Restore, target: NewClaim): ClaimRequest {
  const { name, storageClassName, capacity, accessModes, labels, annotations } = target;
  return {
    namespace: metadata.namespace ?? "",
    name,
    storageClassName,
    capacity: String(capacity),
    accessModes,
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
    madeFor: metadata.uid,
  };
}

/** The name of the claim that gets the data. */
export function targetName({ spec }: Pick<Restore, "spec">): string | undefined {
  return spec.target?.pvc?.name ?? spec.target?.pvcRef?.name;
}

/** Whether workloads are to be down before anything else is done. */
export function holdsFromStart({ spec }: Pick<Restore, "spec">): boolean {
  return spec.target?.pvcRef?.holdWorkloads ?? false;
}

/** What is done about owners and modes that cannot be set as they were. */
export function ownershipOf({
  ownership,
  ignorePermissionErrors,
}: Pick<RestoreOptions, "ownership" | "ignorePermissionErrors">): Ownership {
  return ownership ?? (ignorePermissionErrors ? "BestEffort" : "Exact");
}
