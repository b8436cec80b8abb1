import type { Identity } from "./identity.ts";

/** Stored data that is gone from a repository, and the snapshots that need it. */
export interface MissingData {
  /** Packs that the repository's index names and its storage does not hold. */
  readonly packs: number;
  /** Snapshots that need something of them. Absent where the repository's list could not be read. */
  readonly snapshots?: number;
  /** Snapshots beside these that were not looked at, because there are too many. Default: none. */
  readonly unexamined?: number;
  /** The newest of the snapshots that are hit, newest first: at most {@link MOST_HIT}. */
  readonly hit: readonly HitSnapshot[];
}

/** A snapshot that does not come back whole. */
export interface HitSnapshot {
  readonly id: string;
  readonly identity: Identity;
  readonly startedAt: string;
  /** The run that made it, where it was one of ours. */
  readonly run?: string;
  /** Files and folders that do not come back whole: at most {@link MOST_COUNTED}. */
  readonly files: number;
  /** Some of them, relative to the snapshot's root, which is `.` itself: at most {@link MOST_EXAMPLES}. */
  readonly examples: readonly string[];
}

export const MOST_HIT = 20;
export const MOST_COUNTED = 1000;
export const MOST_EXAMPLES = 3;
