import type { Backend } from "../wire/backend.ts";
import type { Capabilities, EngineName } from "../wire/capabilities.ts";
import type { Credentials } from "../wire/credentials.ts";
import type { Entry } from "../wire/entry.ts";
import type { Identity } from "../wire/identity.ts";
import type { MissingData } from "../wire/missing.ts";
import type { Progress } from "../wire/progress.ts";
import type { RepositoryStats } from "../wire/report.ts";
import type { Fidelity, FileChanges, Loss, MadeSnapshot, Snapshot } from "../wire/snapshot.ts";
import type {
  CacheLimits,
  CheckWork,
  MaintainWork,
  RateLimits,
  RepositoryParameters,
  RestoreSettings,
  SnapshotFilter,
  SnapshotSettings,
} from "../wire/work.ts";

/**
 * A program that keeps snapshots in repositories. Every method rejects with an EngineError, and ends with class
 * `Cancelled` (or `Deadline`, when the signal's reason is a DeadlineExceeded) soon after its signal aborts, leaving
 * no process, lock or temporary file behind. What was complete by then is returned: of a cancelled snapshot there is
 * nothing, unless the storage could not be asked any more.
 */
export interface Engine {
  readonly name: EngineName;
  readonly capabilities: Capabilities;
  /** Opens a repository that exists. */
  open(location: RepositoryLocation, options?: OpenOptions): Promise<Repository>;
  /**
   * Opens the repository, or creates it on a definite "there is none here". An existing one is adopted as it is,
   * never changed.
   */
  create(location: RepositoryLocation, options?: CreateOptions): Promise<Repository>;
}

/** Everything needed to reach a repository. */
export interface RepositoryLocation {
  readonly backend: Backend;
  readonly credentials: Credentials;
  readonly password: string;
}

/** What every operation takes. */
export interface OperationOptions {
  readonly signal?: AbortSignal;
  /**
   * Told how far it is. Where the engine works on the repository itself, there is at least what it moves; what browse()
   * and read() yield speaks for itself.
   */
  readonly onProgress?: (progress: Progress) => void;
}

export interface OpenOptions extends OperationOptions {
  /** The snapshot that will be restored: opening then reads what that needs, so that nothing is asked twice. */
  readonly restoring?: RestoringHint;
  /** Fails with `RepositoryReplaced` when the repository has another ID. */
  readonly expectedId?: string;
  /** Nothing is ever written to the repository. Default false. */
  readonly readOnly?: boolean;
  readonly cache?: CacheLimits;
  readonly limits?: RateLimits;
}

export interface RestoringHint {
  /** Its ID. */
  readonly snapshot: string;
  /** A run of ours made it in this repository: an ID that is a digest then tells which repository it is. */
  readonly ours: boolean;
}

/** An open repository. Several operations may run at once. */
export interface Repository {
  /** Unique for its whole life. */
  readonly id: string;
  /** True when create() made it just now. */
  readonly created: boolean;
  snapshot(options: SnapshotOptions): Promise<SnapshotResult>;
  /** Oldest first. Throws while iterating. */
  list(filter?: SnapshotFilter, options?: OperationOptions): AsyncIterable<Snapshot>;
  restore(options: RestoreOptions): Promise<RestoreResult>;
  /** Deletes snapshots by ID. One that is gone already is no failure. Returns how many were there. */
  delete(ids: readonly string[], options?: OperationOptions): Promise<number>;
  /**
   * Deletes what the driver keeps beside snapshots of these runs, which have ended, where the snapshots are gone; and what is
   * left so of any run, and weeks old. Returns how much there was. A driver that keeps nothing beside deletes nothing.
   */
  deleteCompanions(runs: readonly string[], options?: OperationOptions): Promise<number>;
  maintain(options: MaintainOptions): Promise<MaintainResult>;
  /** Checks that what the snapshots need is there, and with `dataPercent` that it reads as it was written. */
  check(options?: CheckOptions): Promise<CheckResult>;
  /** Reads files of one snapshot as a restore would, without writing. */
  verify(options: VerifyOptions): Promise<VerifyResult>;
  /** Removes locks whose owners are dead, or all of them. Returns how many. An engine without locks removes none. */
  unlock(options?: UnlockOptions): Promise<number>;
  stats(options?: OperationOptions): Promise<RepositoryStats>;
  /** What a folder of a snapshot holds, by name. `path` is relative to the snapshot's root; "" is the root. */
  browse(snapshot: string, path: string, options?: OperationOptions): AsyncIterable<Entry>;
  /** The content of one file. */
  read(snapshot: string, path: string, options?: OperationOptions): AsyncIterable<Uint8Array>;
  /**
   * From then on this repository object uses the new password, and the old one no longer opens the repository. When it
   * is cancelled, either one does.
   */
  changePassword(password: string, options?: OperationOptions): Promise<void>;
  /** Copies snapshots, with their tags, to another open repository of the same engine. What is there already stays. */
  copyTo(destination: Repository, options?: CopyOptions): Promise<CopyResult>;
  /** Removes what the driver keeps on disk for it. */
  close(): Promise<void>;
}

export interface CreateOptions extends OpenOptions, RepositoryParameters {}

export interface SnapshotOptions extends OperationOptions, SnapshotSettings {
  /** Absolute path of the folder to back up. */
  readonly source: string;
  readonly identity: Identity;
  /** The ID of the run, kept as a tag. */
  readonly run: string;
  /** The source is a copy made for this snapshot: its inodes and change times say nothing. Default false. */
  readonly staged?: boolean;
}

export interface SnapshotResult {
  /** With `skipIdentical` and nothing changed, the earlier one. */
  readonly snapshot: MadeSnapshot;
  readonly unchanged: boolean;
  /** Bytes added to the repository, when the engine says. */
  readonly addedBytes?: number;
  /** How files compare with the snapshot before, as far as the engine says. */
  readonly changes?: FileChanges;
  /** What this snapshot will not bring back. */
  readonly losses: readonly Loss[];
  /** Files that were skipped because they could not be read: some of them, for people. */
  readonly unreadable: readonly string[];
}

export interface RestoreOptions extends OperationOptions, RestoreSettings {
  /** The ID of the snapshot. With none of it, rejects with `SnapshotMissing` before anything is written. */
  readonly snapshot: string;
  /** The run that restores, and earlier ones that are known to have ended. Default: nobody else can be at the target. */
  readonly fence?: { readonly run: string; readonly ended: readonly string[] };
}

export interface RestoreResult {
  readonly snapshot: Snapshot;
  readonly files: number;
  readonly bytes: number;
  readonly fidelity: Fidelity;
  readonly losses: readonly Loss[];
  /** What was done otherwise than asked, in sentences for people. Default: nothing. */
  readonly warnings?: readonly string[];
}

export interface MaintainOptions extends OperationOptions, Omit<MaintainWork, "unlock" | "check"> {
  /** Told who maintains the repository, also before it fails because that is somebody else. */
  readonly onOwner?: (owner: string) => void;
}

export interface MaintainResult {
  readonly freedBytes?: number;
}

export interface CheckOptions extends OperationOptions, CheckWork {}

export interface CheckResult {
  /** Empty when all is well; bounded. */
  readonly problems: readonly string[];
  /** What the storage has lost, and which snapshots need it. Absent when it holds every pack. */
  readonly missing?: MissingData;
}

export interface VerifyOptions extends OperationOptions {
  readonly snapshot: string;
  /** Percent of the files that are read completely. Default 100. */
  readonly filesPercent?: number;
}

export interface VerifyResult {
  readonly files?: number;
  readonly problems: readonly string[];
}

export interface UnlockOptions extends OperationOptions {
  /** Also locks whose owners seem alive. Default false. */
  readonly all?: boolean;
  /** Hosts that are known to be gone: what they locked is of the dead too. Default: none. */
  readonly gone?: readonly string[];
}

export interface CopyOptions extends OperationOptions {
  /** Default: every snapshot. */
  readonly filter?: SnapshotFilter;
}

export interface CopyResult {
  readonly copied: number;
  readonly alreadyThere: number;
}
