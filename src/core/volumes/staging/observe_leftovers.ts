import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import type { CallOptions } from "../../../kube/client.ts";
import {
  type GroupKinds,
  groupContentName,
  servedGroupKinds,
  type VolumeGroupSnapshot,
} from "./group_snapshot_kinds.ts";
import type { EverythingStaged } from "./leftovers.ts";
import { glance } from "./look.ts";
import { type StagingReader, volumeBehind } from "./observe_source.ts";
import { membersOf } from "./observe_staging.ts";
import { contentName, VolumeSnapshotContents, VolumeSnapshots } from "./snapshot_kinds.ts";
import { CAPTURED_FOR, STAGED_FOR } from "./staged_marks.ts";

export interface LeftoverScope extends CallOptions {
  /** Default: all. */
  readonly namespace?: string;
}

/** Looks for everything that `leftovers` wants to know: at start, and now and then. */
export async function observeLeftovers(
  reader: StagingReader,
  scope: LeftoverScope = {},
): Promise<EverythingStaged> {
  const { namespace: _, ...call } = scope;
  const staged = { ...scope, labelSelector: STAGED_FOR };
  const claims = await reader.list(PersistentVolumeClaims, staged);
  const marked = await reader.list(PersistentVolumeClaims, { ...scope, labelSelector: CAPTURED_FOR });
  const served = await reader.serves(VolumeSnapshots, call);
  const snapshots = served ? (await reader.list(VolumeSnapshots, staged)).items : [];
  const kinds = await servedGroupKinds(reader, call);
  return {
    claims: await Promise.all(
      claims.items.map(async (claim) => ({ claim, volume: await volumeBehind(reader, claim, call) })),
    ),
    snapshots: await Promise.all(
      snapshots.map(async (snapshot) => ({
        snapshot,
        content: await glance(reader, VolumeSnapshotContents, { name: contentName(snapshot) }, call),
      })),
    ),
    groups: kinds
      ? await groupsStaged(reader, kinds, (await reader.list(kinds.groups, staged)).items, call)
      : [],
    marked: marked.items,
  };
}

async function groupsStaged(
  reader: StagingReader,
  kinds: GroupKinds,
  groups: readonly VolumeGroupSnapshot[],
  call: CallOptions,
): Promise<EverythingStaged["groups"]> {
  return Promise.all(
    groups.map(async (snapshot) => ({
      kinds,
      snapshot,
      content: await glance(reader, kinds.contents, { name: groupContentName(snapshot) }, call),
      members: await membersOf(reader, snapshot, call),
    })),
  );
}
