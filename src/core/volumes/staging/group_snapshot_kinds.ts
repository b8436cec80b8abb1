import type { CallOptions, Reader } from "../../../kube/client.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import type { DeletionPolicy, SnapshotError, SnapshotRef } from "./snapshot_kinds.ts";

/** The fields of group snapshots that are read or written here. */
export interface VolumeGroupSnapshot extends KubeObject {
  readonly spec: {
    readonly source: {
      readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
      readonly volumeGroupSnapshotContentName?: string;
    };
    readonly volumeGroupSnapshotClassName?: string;
  };
  readonly status?: {
    readonly boundVolumeGroupSnapshotContentName?: string;
    readonly creationTime?: string;
    readonly readyToUse?: boolean;
    readonly error?: SnapshotError;
  };
}

export interface VolumeGroupSnapshotContent extends KubeObject {
  readonly spec: {
    readonly deletionPolicy: DeletionPolicy;
    readonly driver: string;
    readonly volumeGroupSnapshotRef: SnapshotRef;
  };
}

export interface VolumeGroupSnapshotClass extends KubeObject {
  readonly driver: string;
  readonly deletionPolicy: DeletionPolicy;
}

/** The kinds of one version of the API. */
export interface GroupKinds {
  readonly groups: Resource<VolumeGroupSnapshot>;
  readonly contents: Resource<VolumeGroupSnapshotContent>;
  readonly classes: Resource<VolumeGroupSnapshotClass>;
}

/** The fields above are the same in all of these. The newest first. */
const VERSIONS = ["v1", "v1beta2", "v1beta1"] as const;

export function groupKinds(version: (typeof VERSIONS)[number]): GroupKinds {
  const api = { group: "groupsnapshot.storage.k8s.io", version } as const;
  return {
    groups: { ...api, kind: "VolumeGroupSnapshot", plural: "volumegroupsnapshots", namespaced: true },
    contents: {
      ...api,
      kind: "VolumeGroupSnapshotContent",
      plural: "volumegroupsnapshotcontents",
      namespaced: false,
    },
    classes: {
      ...api,
      kind: "VolumeGroupSnapshotClass",
      plural: "volumegroupsnapshotclasses",
      namespaced: false,
    },
  };
}

/** The kinds that this cluster has; undefined where it has none. */
export async function servedGroupKinds(
  reader: Pick<Reader, "serves">,
  call: CallOptions = {},
): Promise<GroupKinds | undefined> {
  for (const version of VERSIONS) {
    const kinds = groupKinds(version);
    if (await reader.serves(kinds.groups, call)) return kinds;
  }
  return undefined;
}

/** The content of a group snapshot, which says its name once it is bound. */
export function groupContentName({ metadata, status }: VolumeGroupSnapshot): string {
  return status?.boundVolumeGroupSnapshotContentName ?? `groupsnapcontent-${metadata.uid}`;
}
