import type { ObjectRef } from "./shown_object.ts";

/*
 * What people are shown of all APIs, in one form: the command line reads it, and so may any other screen.
 * Times are as Kubernetes writes them, claims are named as namespace/name.
 */

/**
 * Whether a volume would come back after a loss. `yes`: it has a good backup and a schedule. `elsewhere`: a good
 * backup, and schedules that may not be looked at. `by hand`: a good backup and no schedule. `not yet`: something asks
 * for backups, and there is none. `no`: nothing asks for any.
 */
export type ProtectionLevel = "yes" | "elsewhere" | "by hand" | "not yet" | "no";

/** A snapshot of one volume. */
export interface SnapshotView {
  /** The object that stands for it. */
  readonly object: ObjectRef;
  readonly claim: string;
  /** When the data was captured, as far as that is known. */
  readonly at: string;
  readonly bytes?: number | undefined;
  /** What it lacks, in a few words, where it does not hold all of the volume. */
  readonly incomplete?: string | undefined;
  /** Why nobody knows whether it can be restored, though it holds all of the volume. */
  readonly doubt?: string | undefined;
  /** Made before a restore, of what that overwrote: it is brought back only if somebody names it, and is not the last good one. */
  readonly beforeRestore?: true;
}

/** What one API does for one volume. */
export interface ProtectionView {
  readonly claim: string;
  readonly level: ProtectionLevel;
  /** The objects that ask for its backups. */
  readonly by: readonly ObjectRef[];
  readonly lastGood?: SnapshotView | undefined;
  readonly nextRun?: string | undefined;
  /** `elsewhere`: the object whose schedules may not be looked at, as namespace/name. */
  readonly scheduledBy?: string | undefined;
  /** A sentence each. */
  readonly wrong: readonly string[];
}

/** How a volume counts. `unprotected`: its data would be gone with it, and nobody said that this is meant to be so. */
export const COVERAGES = ["protected", "by_hand", "exempt", "unprotected"] as const;
export type Coverage = (typeof COVERAGES)[number];

/** One PersistentVolumeClaim, with what all APIs do for it: the best counts, and all are named. */
export interface VolumeView extends Pick<ProtectionView, "lastGood" | "nextRun" | "scheduledBy" | "wrong"> {
  readonly namespace: string;
  readonly name: string;
  /** `store`: a repository lies on it. */
  readonly protection: ProtectionLevel | "exempt" | "store";
  /** Undefined for those that hold a repository, which do not count. */
  readonly coverage?: Coverage;
  /** Why it needs no backup, in the words of whoever said so. */
  readonly exempt?: string;
  /** Nothing that may be looked at protects it, and something else may. */
  readonly unseen?: true;
  readonly by: readonly (ObjectRef & { readonly api: string })[];
}

export interface RepositoryView {
  readonly object: ObjectRef;
  readonly phase: string;
  readonly engine: string;
  readonly snapshots?: number | undefined;
  readonly storedBytes?: number | undefined;
  readonly lastContact?: string | undefined;
  readonly id?: string | undefined;
}

export interface ScheduleView {
  readonly object: ObjectRef;
  readonly cron: string;
  readonly suspended: boolean;
  readonly nextRun?: string | undefined;
  readonly lastGoodRun?: string | undefined;
}

/** Something that is under way. */
export interface ActivityView {
  readonly object: ObjectRef;
  readonly phase: string;
  /** What it waits for, or what is in its way. */
  readonly why?: string | undefined;
  readonly progress?: ProgressView | undefined;
}

export interface ProgressView {
  readonly percent?: number | undefined;
  readonly files?: number | undefined;
  readonly bytes?: number | undefined;
}

/** A claim that something asks backups of, and that is gone. */
export interface LostView {
  /** As namespace/name. */
  readonly claim: string;
  readonly lastGood: SnapshotView;
  /** The command that brings it back. */
  readonly restore: string;
}

/** What is wrong and in no row of a volume. */
export interface ProblemView {
  readonly object: ObjectRef;
  readonly why: string;
  /** What helps, where that is known. */
  readonly remedy?: string | undefined;
}

/** What one API says. Each part is made when it is asked for. */
export interface ViewPart {
  /** Why this API does not back up a volume that none of its objects names. Default: others say that. */
  readonly unnamed?: string | undefined;
  /** Its objects may not be looked at. */
  readonly hidden?: true;
  /** The claims that its repositories lie on. */
  readonly stores: ReadonlySet<string>;
  readonly protections: () => readonly ProtectionView[];
  readonly snapshots: () => readonly SnapshotView[];
  readonly repositories: () => readonly RepositoryView[];
  readonly schedules: () => readonly ScheduleView[];
  readonly activity: () => readonly ActivityView[];
  readonly problems: () => readonly ProblemView[];
  /** Default: none. */
  readonly lost?: () => readonly LostView[];
}

/** What all APIs say together. */
export interface View {
  readonly volumes: readonly VolumeView[];
  /** Made when it is asked for: there may be many thousands. */
  readonly snapshots: () => readonly SnapshotView[];
  readonly repositories: readonly RepositoryView[];
  readonly schedules: readonly ScheduleView[];
  readonly activity: readonly ActivityView[];
  readonly problems: readonly ProblemView[];
  readonly lost: readonly LostView[];
}
