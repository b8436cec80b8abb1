import {
  type CoreEvent,
  Events,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  type Pod,
  StorageClasses,
} from "../../../kube/builtin.ts";
import type { CallOptions, Reader } from "../../../kube/client.ts";
import type { Claim } from "../claim_request.ts";
import { podsWith } from "../pods_with.ts";
import { copyClassName } from "./copy_claim.ts";
import { glance, glanceAll, look } from "./look.ts";
import {
  HIDDEN,
  type Hidden,
  type Node,
  type ObservedSource,
  type StagedObjects,
  type StorageClass,
  type Volume,
  visible,
} from "./observed_staging.ts";
import { contentName, VolumeSnapshotContents, VolumeSnapshots } from "./snapshot_kinds.ts";
import { stagedName } from "./staged_marks.ts";
import type { StagingRequest } from "./staging_request.ts";

export type StagingReader = Pick<Reader, "get" | "list" | "serves">;

/** Looks at a source, and at what was made of it. */
export async function observeSource(
  reader: StagingReader,
  request: StagingRequest,
  call: CallOptions = {},
): Promise<ObservedSource> {
  const { source, method } = request;
  const claim = await look(reader, PersistentVolumeClaims, source, call);
  const volumeName = claim?.spec?.volumeName;
  const volume = volumeName ? await glance(reader, PersistentVolumes, { name: volumeName }, call) : undefined;
  const seen = { source, claim, volume };
  if (method === "Direct") {
    const pods = await podsWith(reader, source, call);
    return { ...seen, storageClass: undefined, pods, nodes: await nodesOf(reader, pods, call), staged: {} };
  }
  const staged = await stagedObjects(reader, request, call);
  const className = staged.claim?.spec?.storageClassName ?? (claim ? copyClassName(request, claim) : "");
  const storageClass = className
    ? await glance(reader, StorageClasses, { name: className }, call)
    : undefined;
  const events = await complaints(reader, staged.claim, storageClass, call);
  return { ...seen, storageClass, pods: [], nodes: [], staged: { ...staged, events } };
}

async function stagedObjects(
  reader: StagingReader,
  { owner, source, method }: StagingRequest,
  call: CallOptions,
): Promise<StagedObjects> {
  const { namespace } = source;
  const named = (role: "copy" | "snapshot") => ({ namespace, name: stagedName(owner, source, role) });
  const claim = await look(reader, PersistentVolumeClaims, named("copy"), call);
  const snapshot =
    method === "Snapshot" ? await look(reader, VolumeSnapshots, named("snapshot"), call) : undefined;
  return {
    ...(claim ? { claim, volume: await volumeBehind(reader, claim, call) } : {}),
    ...(snapshot
      ? {
          snapshot,
          content: await glance(reader, VolumeSnapshotContents, { name: contentName(snapshot) }, call),
        }
      : {}),
  };
}

/** The volume of a copy, also while the copy does not say so yet: drivers name it after the claim. */
export function volumeBehind(
  reader: Pick<Reader, "get">,
  { metadata, spec }: Claim,
  call: CallOptions,
): Promise<Volume | Hidden | undefined> {
  return glance(reader, PersistentVolumes, { name: spec?.volumeName ?? `pvc-${metadata.uid}` }, call);
}

async function nodesOf(
  reader: StagingReader,
  pods: readonly Pod[],
  call: CallOptions,
): Promise<readonly Node[]> {
  const names = new Set(pods.flatMap(({ spec }) => spec?.nodeName ?? []));
  const nodes = await Promise.all([...names].map((name) => glance(reader, Nodes, { name }, call)));
  return nodes.flatMap((node) => visible(node) ?? []);
}

/** Why a copy gets no volume: nothing but its events tells. */
async function complaints(
  reader: StagingReader,
  copy: Claim | undefined,
  storageClass: StorageClass | Hidden | undefined,
  call: CallOptions,
): Promise<readonly CoreEvent[]> {
  const waits = visible(storageClass)?.volumeBindingMode === "WaitForFirstConsumer";
  if (!copy || copy.status?.phase === "Bound" || waits) return [];
  const { uid, namespace = "" } = copy.metadata;
  const fieldSelector = `involvedObject.uid=${uid},type=Warning`;
  const events = await glanceAll(reader, Events, {
    namespace,
    fieldSelector,
    omitManagedFields: true,
    ...call,
  });
  return events === HIDDEN ? [] : events;
}
