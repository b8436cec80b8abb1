import type { CallOptions } from "../../../kube/client.ts";
import type { GroupQuestion } from "./decide_group.ts";
import { isGrouped } from "./decide_group.ts";
import { groupContentName, servedGroupKinds } from "./group_snapshot_kinds.ts";
import { glance, glanceAll, look } from "./look.ts";
import { observeSource, type StagingReader } from "./observe_source.ts";
import type { ObservedGroup, ObservedMember, ObservedSource, SnapshotOffer } from "./observed_staging.ts";
import {
  contentName,
  VolumeSnapshotClasses,
  VolumeSnapshotContents,
  VolumeSnapshots,
} from "./snapshot_kinds.ts";
import { groupName } from "./staged_marks.ts";
import { type GroupRequest, requestOf } from "./staging_request.ts";

/** Looks at everything that `groupDecision` wants to know. */
export async function observeStaging(
  reader: StagingReader,
  request: GroupRequest,
  call: CallOptions = {},
): Promise<Omit<GroupQuestion, "now">> {
  const grouped = isGrouped(request);
  const sources = await Promise.all(
    request.sources.map((source) => observeSource(reader, requestOf(request, source), call)),
  );
  const [offer, group] = await Promise.all([
    request.method === "Snapshot" && !grouped ? observeOffer(reader, sources, call) : NO_OFFER,
    grouped ? observeGroup(reader, request, call) : NO_GROUP,
  ]);
  return { request, sources, offer, group };
}

const NO_OFFER: SnapshotOffer = { served: false, classes: [] };
const NO_GROUP: ObservedGroup = { kinds: undefined, classes: [], members: [] };

/** Asked only while a snapshot has still to be taken. */
async function observeOffer(
  reader: StagingReader,
  sources: readonly ObservedSource[],
  call: CallOptions,
): Promise<SnapshotOffer> {
  if (sources.every(({ staged }) => staged.snapshot || staged.claim)) return NO_OFFER;
  return snapshotOffer(reader, call);
}

/** What the cluster offers for snapshots of single volumes. */
export async function snapshotOffer(reader: StagingReader, call: CallOptions): Promise<SnapshotOffer> {
  if (!(await reader.serves(VolumeSnapshots, call))) return NO_OFFER;
  return { served: true, classes: await glanceAll(reader, VolumeSnapshotClasses, call) };
}

export async function observeGroup(
  reader: StagingReader,
  { owner, sources }: Pick<GroupRequest, "owner" | "sources">,
  call: CallOptions = {},
): Promise<ObservedGroup> {
  const kinds = await servedGroupKinds(reader, call);
  if (!kinds) return NO_GROUP;
  const name = { namespace: sources[0]?.namespace, name: groupName(owner) };
  const snapshot = await look(reader, kinds.groups, name, call);
  if (!snapshot) return { kinds, classes: await glanceAll(reader, kinds.classes, call), members: [] };
  const content = await glance(reader, kinds.contents, { name: groupContentName(snapshot) }, call);
  return { kinds, classes: [], snapshot, content, members: await membersOf(reader, snapshot, call) };
}

/** The snapshots that belong to a group, which owns them. */
export async function membersOf(
  reader: StagingReader,
  { metadata }: NonNullable<ObservedGroup["snapshot"]>,
  call: CallOptions,
): Promise<readonly ObservedMember[]> {
  const { namespace = "", uid } = metadata;
  const { items } = await reader.list(VolumeSnapshots, { namespace, ...call });
  const own = items.filter((item) => item.metadata.ownerReferences?.some((owner) => owner.uid === uid));
  return Promise.all(
    own.map(async (snapshot) => ({
      snapshot,
      content: await glance(reader, VolumeSnapshotContents, { name: contentName(snapshot) }, call),
    })),
  );
}
