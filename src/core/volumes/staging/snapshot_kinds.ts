import type { VolumeSnapshot } from "../../../kube/snapshot_kinds.ts";

export type {
  DeletionPolicy,
  SnapshotError,
  SnapshotRef,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from "../../../kube/snapshot_kinds.ts";
export {
  VolumeSnapshotClasses,
  VolumeSnapshotContents,
  VolumeSnapshots,
} from "../../../kube/snapshot_kinds.ts";

/** The content of a snapshot, which says its name once it is bound. */
export function contentName({ metadata, status }: VolumeSnapshot): string {
  return status?.boundVolumeSnapshotContentName ?? `snapcontent-${metadata.uid}`;
}
