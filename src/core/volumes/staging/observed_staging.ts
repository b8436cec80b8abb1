import type { CoreEvent, Nodes, PersistentVolumes, Pod, StorageClasses } from "../../../kube/builtin.ts";
import type { Claim } from "../claim_request.ts";
import type {
  GroupKinds,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
} from "./group_snapshot_kinds.ts";
import type { VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from "./snapshot_kinds.ts";
import type { SourceName } from "./staging_request.ts";

export type Volume = NonNullable<(typeof PersistentVolumes)["shape"]>;
export type StorageClass = NonNullable<(typeof StorageClasses)["shape"]>;
export type Node = NonNullable<(typeof Nodes)["shape"]>;

/** It may be there, but we may not look: what has no namespace is out of reach for an operator of a few namespaces. */
export const HIDDEN = "hidden";
export type Hidden = typeof HIDDEN;

/** What was made of a source so far. */
export interface StagedObjects {
  readonly snapshot?: VolumeSnapshot | undefined;
  readonly content?: VolumeSnapshotContent | Hidden | undefined;
  readonly claim?: Claim | undefined;
  readonly volume?: Volume | Hidden | undefined;
  /** What the cluster complains about while the copy has no volume. */
  readonly events?: readonly Pick<CoreEvent, "reason" | "message" | "lastTimestamp">[];
}

/** Everything about one source at one moment. */
export interface ObservedSource {
  readonly source: SourceName;
  readonly claim: Claim | undefined;
  /** The volume of the claim. */
  readonly volume: Volume | Hidden | undefined;
  /** The class of the copy. */
  readonly storageClass: StorageClass | Hidden | undefined;
  /** Pods that name the claim. */
  readonly pods: readonly Pod[];
  /** The nodes of these pods, as far as they can be seen. */
  readonly nodes: readonly Node[];
  readonly staged: StagedObjects;
}

/** What the cluster offers for snapshots of single volumes. */
export interface SnapshotOffer {
  readonly served: boolean;
  readonly classes: readonly VolumeSnapshotClass[] | Hidden;
}

/** The group snapshot of an owner, and what the cluster offers for one. */
export interface ObservedGroup {
  /** Undefined where the cluster has no such API. */
  readonly kinds: GroupKinds | undefined;
  readonly classes: readonly VolumeGroupSnapshotClass[] | Hidden;
  readonly snapshot?: VolumeGroupSnapshot | undefined;
  readonly content?: VolumeGroupSnapshotContent | Hidden | undefined;
  readonly members: readonly ObservedMember[];
}

/** The snapshot of one volume within a group. */
export interface ObservedMember {
  readonly snapshot: VolumeSnapshot;
  readonly content: VolumeSnapshotContent | Hidden | undefined;
}

/** What can be read of it; undefined for what is hidden or not there. */
export function visible<T>(value: T | Hidden | undefined): T | undefined {
  return value === HIDDEN ? undefined : (value as T | undefined);
}
