import { isAlreadyExists, isConflict, isNotFound } from "../../../../kube/api_error.ts";
import { CustomResourceDefinitions, PersistentVolumeClaims } from "../../../../kube/builtin.ts";
import type { Client } from "../../../../kube/client.ts";
import type { KubeObject, Partially } from "../../../../kube/object.ts";
import type { Resource } from "../../../../kube/resource.ts";
import { ownerReference } from "../../../../kube/write/owners.ts";
import { timestamp } from "../../../../kube/write/timestamp.ts";
import { sleep, systemClock } from "../../../../lib/clock.ts";
import { type GroupKinds, groupKinds, type VolumeGroupSnapshot } from "../group_snapshot_kinds.ts";
import { VolumeSnapshots } from "../snapshot_kinds.ts";

const BOUND = "groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-bound-protection";

/** Serves the API of group snapshots, in a version that is not the newest. */
export async function installGroupKinds(client: Client): Promise<GroupKinds> {
  const kinds = groupKinds("v1beta1");
  for (const resource of Object.values(kinds) as readonly Resource[]) {
    const { group, version, kind, plural, namespaced } = resource;
    const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const served = { name: version, served: true, storage: true, subresources: { status: {} } };
    await client.create(CustomResourceDefinitions, {
      metadata: {
        name: `${plural}.${group}`,
        annotations: { "api-approved.kubernetes.io": "unapproved, for tests" },
      },
      spec: {
        group,
        scope: namespaced ? "Namespaced" : "Cluster",
        names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
        versions: [{ ...served, schema: { openAPIV3Schema } }],
      },
    });
    while (!(await client.serves(resource))) await sleep(systemClock, 25);
  }
  return kinds;
}

/** Stands for the group snapshot controller and a driver that has groups: it takes the snapshots one by one. */
export async function runGroupController(
  client: Client,
  kinds: GroupKinds,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    for (const group of (await client.list(kinds.groups)).items) {
      const turn = group.metadata.deletionTimestamp
        ? letGo(client, kinds, group)
        : take(client, kinds, group);
      await turn.catch(ignoreRaces);
    }
    await sleep(systemClock, 25);
  }
}

async function take(client: Client, kinds: GroupKinds, group: VolumeGroupSnapshot): Promise<void> {
  if (group.status?.readyToUse) return;
  const { metadata, spec } = group;
  const { namespace = "", name, uid } = metadata;
  if (!metadata.finalizers?.includes(BOUND)) {
    await patch(client, kinds.groups, group, {
      metadata: { finalizers: [...(metadata.finalizers ?? []), BOUND] },
    });
    return;
  }
  const policy = await client.get(kinds.classes, { name: spec.volumeGroupSnapshotClassName ?? "" });
  const { driver, deletionPolicy } = policy;
  const ref = { namespace, name, uid };
  await ensure(client, kinds.contents, {
    metadata: { name: contentOf(group) },
    spec: { driver, deletionPolicy, volumeGroupSnapshotRef: ref },
  });
  const labelSelector = Object.entries(spec.source.selector?.matchLabels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  const { items } = await client.list(PersistentVolumeClaims, { namespace, labelSelector });
  const dependent = { resource: VolumeSnapshots, namespace };
  const owner = ownerReference({ owner: { resource: kinds.groups, object: group }, dependent });
  for (const claim of items) {
    await ensure(client, VolumeSnapshots, {
      metadata: { namespace, name: memberOf(group, claim), ownerReferences: [owner] },
      spec: {
        source: { persistentVolumeClaimName: claim.metadata.name },
        volumeSnapshotClassName: policy.metadata.name,
      },
    });
  }
  const status = {
    readyToUse: true,
    creationTime: timestamp(systemClock.now()),
    boundVolumeGroupSnapshotContentName: contentOf(group),
  };
  await patch(client, kinds.groups, group, { status }, "status");
}

async function letGo(client: Client, kinds: GroupKinds, group: VolumeGroupSnapshot): Promise<void> {
  const content = await client.get(kinds.contents, { name: contentOf(group) }).catch(ignoreRaces);
  if (content?.spec.deletionPolicy === "Delete") await client.delete(kinds.contents, content.metadata);
  const finalizers = group.metadata.finalizers?.filter((name) => name !== BOUND) ?? [];
  if (finalizers.length === group.metadata.finalizers?.length) return;
  await patch(client, kinds.groups, group, { metadata: { finalizers } });
}

const contentOf = ({ metadata }: KubeObject) => `groupsnapcontent-${metadata.uid}`;
const memberOf = (group: KubeObject, { metadata }: KubeObject) =>
  `${metadata.name}-member-${group.metadata.uid.slice(0, 8)}`;

async function ensure(client: Client, resource: Resource, draft: object): Promise<void> {
  await client.create(resource, draft as Parameters<Client["create"]>[1]).catch(ignoreRaces);
}

async function patch(
  client: Client,
  resource: Resource,
  { metadata }: KubeObject,
  changes: { readonly metadata?: object; readonly status?: object },
  subresource?: string,
): Promise<void> {
  const { resourceVersion } = metadata;
  const body = { ...changes, metadata: { ...changes.metadata, resourceVersion } } as Partially<KubeObject>;
  await client.patch(resource, metadata, { type: "merge", patch: body }, subresource ? { subresource } : {});
}

function ignoreRaces(error: unknown): undefined {
  if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
  return undefined;
}
