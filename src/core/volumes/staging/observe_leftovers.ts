import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import type { CallOptions } from "../../../kube/client.ts";
import { type GroupKinds, groupContentName, servedGroupKinds } from "./group_snapshot_kinds.ts";
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
  const staged = { ...scope, labelSelector: STAGED_FOR };
  const claims = await reader.list(PersistentVolumeClaims, staged);
  const marked = await reader.list(PersistentVolumeClaims, { ...scope, labelSelector: CAPTURED_FOR });
  const served = await reader.serves(VolumeSnapshots, scope);
  const snapshots = served ? (await reader.list(VolumeSnapshots, staged)).items : [];
  const kinds = await servedGroupKinds(reader, scope);
  return {
    claims: await Promise.all(
      claims.items.map(async (claim) => ({ claim, volume: await volumeBehind(reader, claim, scope) })),
    ),
    snapshots: await Promise.all(
      snapshots.map(async (snapshot) => ({
        snapshot,
        content: await glance(reader, VolumeSnapshotContents, { name: contentName(snapshot) }, scope),
      })),
    ),
    groups: kinds ? await groupsStaged(reader, kinds, staged) : [],
    marked: marked.items,
  };
}

async function groupsStaged(
  reader: StagingReader,
  kinds: GroupKinds,
  staged: LeftoverScope & { readonly labelSelector: string },
): Promise<EverythingStaged["groups"]> {
  const { items } = await reader.list(kinds.groups, staged);
  return Promise.all(
    items.map(async (snapshot) => ({
      kinds,
      snapshot,
      content: await glance(reader, kinds.contents, { name: groupContentName(snapshot) }, staged),
      members: await membersOf(reader, snapshot, staged),
    })),
  );
}
