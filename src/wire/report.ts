import type { EngineFailure } from "./engine_error.ts";
import type { MissingData } from "./missing.ts";
import type { Progress } from "./progress.ts";
import type { Fidelity, FileChanges, Loss, MadeSnapshot, Snapshot } from "./snapshot.ts";
import type { WorkKind } from "./work.ts";

/** The version of reports that this program writes. It reads this one and the one before. */
export const REPORT_VERSION = 1;

/** One line of a mover's standard output: a JSON object with exactly one of these keys. */
export type ReportLine =
  | { readonly progress: ProgressLine }
  | { readonly log: LogLine }
  | { readonly result: Result };

export interface ProgressLine extends Progress {
  readonly version: number;
  readonly step: Step;
  /** The source that it is about, where there are several. */
  readonly source?: string;
}

/** Where a mover is. `Prepared`: it is connected, has touched neither source nor target, and waits to be told to start. */
export type Step = "Connecting" | "Prepared" | WorkKind;

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
}

/** How the work ended. It is the last line, and, shortened, the container's termination message. */
export interface Result {
  readonly version: number;
  readonly run: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly repository?: OpenedRepository;
  /** What was achieved, also when it failed in the end. */
  readonly answer?: Answer;
  /** What was done otherwise than asked, in sentences for people. */
  readonly warnings?: readonly string[];
  /** Absent after success. */
  readonly failure?: EngineFailure;
  /** This is the termination message, and details were left out to fit it. */
  readonly shortened?: boolean;
}

export interface OpenedRepository {
  readonly id: string;
  readonly created: boolean;
}

/** Exactly one key is set: the work's. */
export type Answer =
  | { readonly init: RepositoryStats }
  | { readonly snapshot: { readonly snapshots: readonly SnapshotAnswer[] } }
  | { readonly restore: RestoreAnswer }
  | { readonly delete: { readonly deleted: number } }
  | { readonly maintain: MaintainAnswer }
  | { readonly check: CheckAnswer }
  | { readonly verify: { readonly files?: number; readonly problems: readonly string[] } }
  | { readonly catalog: CatalogAnswer }
  | { readonly copy: { readonly copied: number; readonly alreadyThere: number } }
  | { readonly session: { readonly requests: number } };

export interface SnapshotAnswer {
  /** The name of the source. */
  readonly source: string;
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

export interface RestoreAnswer {
  readonly snapshot: Snapshot;
  readonly files: number;
  readonly bytes: number;
  readonly fidelity: Fidelity;
  /** What did not come back, and why. */
  readonly losses: readonly Loss[];
}

export interface MaintainAnswer {
  /** Who maintains the repository, where an engine has a maintainer. */
  readonly owner?: string;
  readonly freedBytes?: number;
  readonly locksRemoved?: number;
  /** What the check afterwards found. Absent where none was asked for, or it came to no end. */
  readonly check?: CheckAnswer;
}

export interface CheckAnswer {
  /** Empty when all is well; bounded. */
  readonly problems: readonly string[];
  /** What the storage has lost, and which snapshots need it. Absent when it holds every pack. */
  readonly missing?: MissingData;
}

export interface CatalogAnswer {
  readonly stats: RepositoryStats;
  /** How many the filter let through. */
  readonly found: number;
  /** How many more there are that were begun later than asked for. Absent where all were asked for. */
  readonly later?: number;
  /** The newest of them, newest first. */
  readonly snapshots: readonly Snapshot[];
  /**
   * How large the ones before these were, oldest first, as far back as there is room. Absent where the list holds all,
   * and in an answer that was shortened.
   */
  readonly older?: readonly SnapshotSize[];
}

/** When a snapshot was begun, in seconds since 1970, the bytes that it holds, and its files where known. */
export type SnapshotSize = readonly [at: number, bytes: number, files?: number];

export interface RepositoryStats {
  readonly snapshots: number;
  /** Bytes that the repository takes in its storage. */
  readonly storedBytes: number;
  /** Bytes of content before compression and after deduplication, when the engine says. */
  readonly contentBytes?: number;
}
