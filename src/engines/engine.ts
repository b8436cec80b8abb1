import type { Backend } from "../wire/backend.ts";
import type { Capabilities, EngineName, ExistingFiles } from "../wire/capabilities.ts";
import type { Credentials } from "../wire/credentials.ts";
import type { Identity } from "../wire/identity.ts";
import type { Progress } from "../wire/progress.ts";
import type { Fidelity, Loss, Owner, Snapshot } from "../wire/snapshot.ts";
import type { Tags } from "../wire/tags.ts";

/**
 * A program that keeps snapshots in repositories. Every method rejects with an EngineError, and ends with class
 * `Cancelled` (or `Deadline`, when the signal's reason is a DeadlineExceeded) soon after its signal aborts, leaving
 * no process, lock or temporary file behind. What was complete by then is returned: a cancelled snapshot is not there.
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
  readonly onProgress?: (progress: Progress) => void;
}

export interface OpenOptions extends OperationOptions {
  /** Fails with `RepositoryReplaced` when the repository has another ID. */
  readonly expectedId?: string;
  /** Nothing is ever written to the repository. Default false. */
  readonly readOnly?: boolean;
  readonly cache?: CacheLimits;
  readonly limits?: RateLimits;
}

export interface CacheLimits {
  /** Bytes of file content on disk. Default 256 MiB. */
  readonly contentBytes?: number;
  /** Bytes of indexes and folder listings on disk. Default 512 MiB. */
  readonly metadataBytes?: number;
}

export interface RateLimits {
  /** Bytes a second. Default: none. */
  readonly upload?: number;
  readonly download?: number;
}

export interface CreateOptions extends OpenOptions {
  /** Names from the capabilities. Defaults are the engine's. */
  readonly encryption?: string;
  readonly hash?: string;
  readonly splitter?: string;
}

/** An open repository. Several operations may run at once. */
export interface Repository {
  /** Unique to this repository for its whole life. */
  readonly id: string;
  /** True when create() made it just now. */
  readonly created: boolean;
  snapshot(options: SnapshotOptions): Promise<SnapshotResult>;
  /** Oldest first. Throws while iterating. */
  list(filter?: SnapshotFilter, options?: OperationOptions): AsyncIterable<Snapshot>;
  restore(options: RestoreOptions): Promise<RestoreResult>;
  /** Deletes snapshots by ID. One that is gone already is no failure. Returns how many were there. */
  delete(ids: readonly string[], options?: OperationOptions): Promise<number>;
  maintain(options: MaintainOptions): Promise<MaintainResult>;
  /** Checks that what the snapshots need is there; `data` reads and verifies content too. */
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
  /** From then on this repository object uses the new password, and the old one no longer opens the repository. */
  changePassword(password: string, options?: OperationOptions): Promise<void>;
  /** Copies snapshots, with their tags, to another open repository of the same engine. What is there already stays. */
  copyTo(destination: Repository, options?: CopyOptions): Promise<CopyResult>;
  /** Removes what the driver keeps on disk for it. */
  close(): Promise<void>;
}

export interface SnapshotOptions extends OperationOptions {
  /** Absolute path of the folder to back up. */
  readonly source: string;
  readonly identity: Identity;
  /** The ID of the run, kept as a tag. */
  readonly run: string;
  readonly tags?: Tags;
  readonly ignore?: IgnoreRules;
  readonly compression?: Compression;
  /** Files read at once. Default: the engine's, by the number of processors. */
  readonly parallel?: number;
  /** Stay on the source's file system. Default false. */
  readonly oneFileSystem?: boolean;
  /** Make no new snapshot when nothing changed since the identity's last one. Default false. */
  readonly skipIdentical?: boolean;
  /**
   * What follows from files that cannot be read; those that vanish meanwhile are no such. Default `Fail`: rejects with
   * `SourceUnreadable`, and the snapshot stays in the repository with `incomplete` set.
   */
  readonly unreadable?: "Fail" | "Skip";
  /** Default `Full`. With `Engine` only what the engine itself keeps is kept, and the result counts the rest. */
  readonly fidelity?: Exclude<Fidelity, "Degraded">;
  /** Appended to the engine's command. */
  readonly extraArgs?: readonly string[];
}

export interface IgnoreRules {
  /** Patterns as in .gitignore. Default: none. */
  readonly paths?: readonly string[];
  /** Names of files in the data that hold such patterns for their folder. Default: none are honoured. */
  readonly files?: readonly string[];
  /** Leave out folders with a CACHEDIR.TAG. Default false. */
  readonly cacheDirs?: boolean;
}

export interface Compression {
  /** A name from the capabilities. Default `zstd` on kopia, `auto` on restic. */
  readonly compressor?: string;
  /** Patterns of file names, such as `*.zip`, stored as they are. */
  readonly neverCompress?: readonly string[];
}

export interface SnapshotResult {
  /** With `skipIdentical` and nothing changed, the earlier one. */
  readonly snapshot: Snapshot;
  readonly unchanged: boolean;
  /** Bytes added to the repository, when the engine says. */
  readonly addedBytes?: number;
  /** What this snapshot will not bring back. */
  readonly losses: readonly Loss[];
  /** Files that were skipped because they could not be read: some of them, for people. */
  readonly unreadable: readonly string[];
}

export interface SnapshotFilter {
  readonly username?: string;
  readonly hostname?: string;
  readonly path?: string;
  readonly run?: string;
  /** All of these are there. */
  readonly tags?: Tags;
}

export interface RestoreOptions extends OperationOptions {
  /** The ID of the snapshot. */
  readonly snapshot: string;
  /** Only this file or folder, relative to the snapshot's root. Default: everything. A folder's content goes into the target. */
  readonly path?: string;
  /** Absolute path of the folder to write. Created when absent. */
  readonly target: string;
  /** Default `Refuse`. */
  readonly existing?: ExistingFiles;
  /** Delete what the snapshot does not hold. Default false. */
  readonly deleteExtra?: boolean;
  /** Write long runs of zeros as holes. Default true. */
  readonly sparse?: boolean;
  /** Default false. */
  readonly atomic?: boolean;
  /**
   * - `Exact` (default): owners and attributes as recorded, or `PrivilegesNeeded` before anything is written.
   * - `BestEffort`: what can be set is, and each loss is counted.
   * - `Skip`: everything belongs to whoever restores; not counted.
   */
  readonly ownership?: Ownership;
  readonly parallel?: number;
  readonly extraArgs?: readonly string[];
}

export type Ownership = "Exact" | "BestEffort" | "Skip";

export interface RestoreResult {
  readonly files: number;
  readonly bytes: number;
  readonly fidelity: Fidelity;
  readonly losses: readonly Loss[];
}

export interface MaintainOptions extends OperationOptions {
  /** `Quick`: cheap housekeeping. `Full`: gives space back. */
  readonly mode: "Quick" | "Full";
  /**
   * Give space back at once instead of after the engine's safety delay. Only when nothing else uses the repository.
   * Default false.
   */
  readonly immediate?: boolean;
  /** Become the repository's maintainer, where an engine has one and it is somebody else. Default false. */
  readonly takeOver?: boolean;
}

export interface MaintainResult {
  readonly freedBytes?: number;
}

export interface CheckOptions extends OperationOptions {
  /** Percent of the stored data that is read. Default 0: structure only. */
  readonly dataPercent?: number;
}

export interface CheckResult {
  /** Empty when all is well; bounded. */
  readonly problems: readonly string[];
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
}

export interface RepositoryStats {
  readonly snapshots: number;
  /** Bytes that the repository takes in its storage. */
  readonly storedBytes: number;
  /** Bytes of content before compression and after deduplication, when the engine says. */
  readonly contentBytes?: number;
}

export interface Entry {
  /** Bytes that are not UTF-8 are shown as U+FFFD. */
  readonly name: string;
  readonly type: "File" | "Folder" | "Symlink" | "Other";
  readonly size: number;
  /** Permission bits, with setuid, setgid and sticky. */
  readonly mode: number;
  /** ISO 8601, as exact as the engine keeps it. */
  readonly modifiedAt: string;
  readonly owner?: Owner;
}

export interface CopyOptions extends OperationOptions {
  /** Default: every snapshot. */
  readonly filter?: SnapshotFilter;
}

export interface CopyResult {
  readonly copied: number;
  readonly alreadyThere: number;
}
