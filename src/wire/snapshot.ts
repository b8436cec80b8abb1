import type { Identity } from "./identity.ts";
import type { Tags } from "./tags.ts";

/** A user and group number, as files have them. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * How much of the source a snapshot can bring back.
 * - `Full`: everything that was seen.
 * - `Engine`: what the bare engine keeps; chosen, or written by someone else.
 * - `Degraded`: it was meant to be full, and a part of it is gone.
 */
export type Fidelity = "Full" | "Engine" | "Degraded";

/** One snapshot of one source. */
export interface Snapshot {
  /** The engine's ID. May change; find the snapshot again by run tag and root. */
  readonly id: string;
  readonly identity: Identity;
  /** The ID of the run that made it, from the run tag. */
  readonly run?: string;
  /** The tags of users, without ours. */
  readonly tags: Tags;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** Absent where the engine does not record it. */
  readonly endedAt?: string;
  /** The ID of the root object: equal roots mean equal content. */
  readonly root: string;
  /** Absent where the engine did not record it. */
  readonly files?: number;
  readonly folders?: number;
  readonly bytes?: number;
  /** Why it lacks what nobody allowed its run to leave out: such as a failed run's leftover. Absent when it does not. */
  readonly incomplete?: string;
  /** Files that could not be read and are missing from it, also where its run was allowed to leave them out. */
  readonly failedFiles?: number;
  readonly fidelity: Fidelity;
  /** How often it will not bring back what its source held, by kind. Absent where nothing is lost, or nobody recorded it. */
  readonly lost?: Readonly<Partial<Record<LossKind, number>>>;
  /** Somebody pinned it in the repository, by the engine's own means. */
  readonly pinned?: true;
  /** The owners that were seen, when they were recorded; at most 32. */
  readonly owners?: readonly Owner[];
}

/** A snapshot that was made just now. Not every engine says its root before it is looked up. */
export type MadeSnapshot = Omit<Snapshot, "root"> & Partial<Pick<Snapshot, "root">>;

/** Something that a restore did not, or a backup will not, bring back. */
export interface Loss {
  readonly kind: LossKind;
  readonly count: number;
  /** A few paths, for people. */
  readonly examples: readonly string[];
  readonly reason: string;
}

export type LossKind =
  | "Owner"
  | "Mode"
  | "Time"
  | "ExtendedAttribute"
  | "Acl"
  | "FileCapability"
  | "HardLink"
  | "Fifo"
  | "Device"
  | "Socket"
  | "Name"
  | "Content";

/** Files of a snapshot, as they compare with those of the snapshot before. */
export interface FileChanges {
  readonly new?: number;
  readonly modified?: number;
  /** They were taken over without being read. */
  readonly unchanged: number;
}
