import type { Backend } from "./backend.ts";
import type { EngineName, ExistingFiles } from "./capabilities.ts";
import type { Identity } from "./identity.ts";
import type { Fidelity } from "./snapshot.ts";
import type { Tags } from "./tags.ts";

/** The version of work specs that this program writes. It reads this one and the one before. */
export const WORK_VERSION = 1;

/** What a mover is told to do: one piece of work on one repository. Holds no secret. */
export interface WorkSpec {
  readonly version: number;
  /** The ID of the run: a tag on every snapshot that it makes. */
  readonly run: string;
  readonly engine: EngineName;
  readonly repository: RepositorySpec;
  /** Counted from the mover's start, or from the start signal where it waits for one. Default: none. */
  readonly deadlineSeconds?: number;
  /** The mover connects, says that it is prepared, and touches nothing before it is told to start. Default false. */
  readonly startsBySignal?: boolean;
  /** How long a prepared mover waits for the start signal. Default 1800. */
  readonly prepareTimeoutSeconds?: number;
  /** Runs that nothing is left of: what they locked and could not release is released first. Default: none. */
  readonly endedRuns?: readonly string[];
  readonly work: Work;
}

/** A repository without its secrets. */
export interface RepositorySpec {
  readonly backend: Backend;
  /** Fails with `RepositoryReplaced` when the repository has another ID. */
  readonly expectedId?: string;
  /** Nothing is ever written to the repository. Default false. */
  readonly readOnly?: boolean;
  /** Default: sized to the pod. */
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

/** Exactly one key is set, and it names the work. */
export type Work =
  | { readonly init: InitWork }
  | { readonly snapshot: SnapshotWork }
  | { readonly restore: RestoreWork }
  | { readonly delete: DeleteWork }
  | { readonly maintain: MaintainWork }
  | { readonly check: CheckWork }
  | { readonly verify: VerifyWork }
  | { readonly catalog: CatalogWork }
  | { readonly copy: CopyWork }
  | { readonly session: SessionWork };

type KeysOf<Union> = Union extends unknown ? keyof Union : never;

export type WorkKind = KeysOf<Work>;

export function workKind(work: Work): WorkKind {
  return Object.keys(work)[0] as WorkKind;
}

/** Opens the repository, and creates it where that is allowed and there is none. */
export interface InitWork {
  /** Default false: a missing repository is `NotARepository`. */
  readonly create?: boolean;
  readonly parameters?: RepositoryParameters;
}

/** Fixed when a repository is created. Names from the capabilities; defaults are the engine's. */
export interface RepositoryParameters {
  readonly encryption?: string;
  readonly hash?: string;
  readonly splitter?: string;
}

/** One snapshot of each source. The first failure ends it; what was made before stays, with the run's tag. */
export interface SnapshotWork extends SnapshotSettings {
  readonly sources: readonly SnapshotSource[];
}

export interface SnapshotSource {
  /** Unique within the work; the result names it. */
  readonly name: string;
  /** Absolute path of the folder in the mover's pod. */
  readonly path: string;
  readonly identity: Identity;
  /** It is a copy that was made for this snapshot: its inodes and change times say nothing. Default false. */
  readonly staged?: boolean;
  readonly mountedOver?: MountedOver;
}

/**
 * How the path of the folder ends that a volume is mounted over on its node. A mover that was given this folder itself has
 * no volume, and fails with `Interrupted`. Default: this is not looked at.
 */
export type MountedOver = string;

export interface SnapshotSettings {
  readonly tags?: Tags;
  readonly ignore?: IgnoreRules;
  readonly compression?: Compression;
  /** How files are cut into pieces: a name from the capabilities. Default: the repository's. */
  readonly splitter?: string;
  /** Files read at once. Default: on kopia as many as the pod has processors, on restic its own. */
  readonly parallel?: number;
  /** Stay on the source's file system. Default false. */
  readonly oneFileSystem?: boolean;
  /** Make no new snapshot when nothing changed since the identity's last one. Default false. */
  readonly skipIdentical?: boolean;
  /**
   * With `skipIdentical`, runs whose snapshots may be referred to. What others left may be deleted at any time. Default: the
   * last one, whoever made it.
   */
  readonly identicalTo?: readonly string[];
  /**
   * What follows from files that cannot be read; those that vanish meanwhile are no such. Default `Fail`: rejects with
   * `SourceUnreadable`; a snapshot that stays in the repository has `incomplete` set. With `Skip` they are left out: the
   * snapshot counts them in `failedFiles`, and is complete otherwise.
   */
  readonly unreadable?: "Fail" | "Skip";
  /**
   * With `Engine` only what the engine itself keeps is kept, and the result counts the rest. Default: `Full`, on kopia
   * only where nobody else is seen to write to the repository.
   */
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
  /** What the data itself leaves out, by `files` and `cacheDirs`, is counted among what is not in the backup. Default false. */
  readonly counted?: boolean;
}

export interface Compression {
  /** A name from the capabilities. Default `zstd` on kopia, `auto` on restic. */
  readonly compressor?: string;
  /** Patterns of file names, such as `*.zip`, stored as they are. */
  readonly neverCompress?: readonly string[];
}

/**
 * A snapshot that is known from before. Its ID may have changed meanwhile; then it is found by its run, and its root
 * or identity.
 */
export interface SnapshotReference {
  readonly id: string;
  readonly run?: string;
  readonly root?: string;
  /** Tells sources of one run apart that hold the same. */
  readonly identity?: Identity;
}

export interface RestoreWork extends RestoreSettings {
  readonly snapshot: SnapshotReference;
  readonly mountedOver?: MountedOver;
}

export interface RestoreSettings {
  /** Only this file or folder, relative to the snapshot's root. Default: everything. */
  readonly path?: string;
  /**
   * The folder of the target, relative to it, that gets the file, or what is in the folder; empty for the target itself.
   * Default: its own place, so that `a/b` is restored as `a/b`. Nothing outside it is deleted.
   */
  readonly targetPath?: string;
  /** Absolute path of the folder to write. Created when absent. */
  readonly target: string;
  /** Default `Refuse`. */
  readonly existing?: ExistingFiles;
  /**
   * The target is this restore's alone, which has this name in all of its attempts: what one of them wrote into it when it
   * was empty, and did not finish, the next one may remove. Default: it is somebody's.
   */
  readonly own?: string;
  /**
   * The target was somebody's before, and may be used between two attempts: with `existing: Refuse`, what an attempt of
   * `own` left in a target that it found empty is written over, and nothing is removed. Default false.
   */
  readonly resume?: boolean;
  /** Delete what the snapshot does not hold. Default false. */
  readonly deleteExtra?: boolean;
  /** Write long runs of zeros as holes. Default true. */
  readonly sparse?: boolean;
  /**
   * No file that was there is lost before the one in its place is complete, where the engine can do that. Into an empty
   * target files are written in their places. Default false.
   */
  readonly atomic?: boolean;
  /**
   * An empty file of this path in the target, made once everything is restored and on the disk. The folders that it is in
   * are made anew. Default: none.
   */
  readonly doneFile?: string;
  /** Default `Exact`. */
  readonly ownership?: Ownership;
  readonly parallel?: number;
  readonly extraArgs?: readonly string[];
}

/**
 * - `Exact`: owners and attributes as recorded, or `PrivilegesNeeded` before anything is written.
 * - `BestEffort`: what can be set is, and each loss is counted.
 * - `Skip`: everything belongs to whoever restores; not counted.
 */
export type Ownership = "Exact" | "BestEffort" | "Skip";

/** Deletes snapshots. One that is gone already is no failure. */
export interface DeleteWork {
  readonly snapshots: readonly SnapshotReference[];
  /** Every snapshot that carries the tag of one of these runs. Default: none. */
  readonly runs?: readonly string[];
  /**
   * What a driver keeps beside snapshots of these runs, where somebody else has deleted the snapshots; and what is left so
   * of any run, and weeks old. The runs have to have ended. Default: it is left to maintenance.
   */
  readonly companionsOf?: readonly string[];
}

export interface MaintainWork {
  /** `Quick`: cheap housekeeping. `Full`: gives space back. */
  readonly mode: "Quick" | "Full";
  /**
   * Give space back at once instead of after the engine's safety delay. Only when nothing else uses the repository.
   * Default false.
   */
  readonly immediate?: boolean;
  /** The name of the repository's maintainer, where an engine has one. Default: one that all movers share. */
  readonly owner?: string;
  /** Become the repository's maintainer, where an engine has one and it is somebody else. Default false. */
  readonly takeOver?: boolean;
  /** Take over from this one alone: it may be another by now. Default: from anybody. */
  readonly takeOverFrom?: string;
  /** Remove locks whose owners are dead first, where an engine has locks. Default true. */
  readonly unlock?: boolean;
  /** Make a quick check afterwards. Default false. */
  readonly check?: boolean;
}

export interface CheckWork {
  /** Only whether the storage holds what the repository's index names. Default false. */
  readonly quick?: boolean;
  /** Percent of the stored data that is read; none in a quick check. Default 0: structure only. */
  readonly dataPercent?: number;
}

export interface VerifyWork {
  readonly snapshot: SnapshotReference;
  /** Percent of the files that are read completely. Default 100. */
  readonly filesPercent?: number;
}

/** Statistics of the repository, and the newest snapshots that the filter lets through. */
export interface CatalogWork {
  readonly filter?: SnapshotFilter;
  /** Only those that were begun then or before. ISO 8601. Default: all. */
  readonly until?: string;
  /** At most this many, at most 100. Default 100. What is more goes through a session. */
  readonly limit?: number;
}

export interface SnapshotFilter {
  readonly username?: string;
  readonly hostname?: string;
  readonly path?: string;
  readonly run?: string;
  /** All of these are there. */
  readonly tags?: Tags;
}

/** Copies snapshots, with their tags, to a second repository of the same engine, whose secrets lie beside the first's. */
export interface CopyWork {
  readonly destination: RepositorySpec;
  /** Default: every snapshot. */
  readonly filter?: SnapshotFilter;
}

/** Stays connected and answers questions, read-only, until idle or told to end. */
export interface SessionWork {
  readonly listen: SessionAddress;
  /** Ends after this long without a question. Default 300. */
  readonly idleSeconds?: number;
}

/** Mutual TLS on a port of the pod, with `ca.crt`, `tls.crt` and `tls.key` in the folder. */
export interface SessionAddress {
  readonly tls: { readonly port: number; readonly folder: string };
}
