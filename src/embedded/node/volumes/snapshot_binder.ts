import { PersistentVolumeClaims, PersistentVolumes } from "../../../kube/builtin.ts";
import { type Cache, lastSeen } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey, parseKey } from "../../../kube/object.ts";
import {
  type VolumeSnapshot,
  type VolumeSnapshotClass,
  VolumeSnapshotClasses,
  type VolumeSnapshotContent,
  VolumeSnapshotContents,
  VolumeSnapshots,
} from "../../../kube/snapshot_kinds.ts";
import { addFinalizer } from "../../../kube/write/finalizers.ts";
import { writeStatus } from "../../../kube/write/status.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { formatQuantity } from "../../kinds/quantity.ts";
import { find, removeFinalizers } from "../find.ts";
import type { NodePorts } from "../node_ports.ts";
import { DEFAULT_SNAPSHOT_CLASS } from "./names.ts";

export interface SnapshotBinderOptions extends NodePorts {
  readonly snapshots: Cache<VolumeSnapshot>;
  readonly contents: Cache<VolumeSnapshotContent>;
}

const BOUND = "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection";
const AS_SOURCE = "snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection";
const BEING_DELETED = "snapshot.storage.kubernetes.io/volumesnapshot-being-deleted";
const LOOK_AGAIN = 2_000;

/** A snapshot cannot be taken as things are. */
class NotPossible extends Error {
  override name = "NotPossible";
}

/** Makes the contents that snapshots stand for, and tells of them in the snapshots, as the snapshot controller does. */
export class SnapshotBinder {
  readonly controller: Controller;
  readonly #options: SnapshotBinderOptions;

  constructor(options: SnapshotBinderOptions) {
    const { snapshots, contents } = options;
    this.#options = options;
    this.controller = new Controller({
      ...options,
      name: "snapshots",
      reconcile: (key, signal) => this.#bind(key, signal),
    })
      .watch(snapshots)
      .watch(contents, {
        keys: (change) => {
          const { spec } = lastSeen(change);
          const { namespace, name } = spec.volumeSnapshotRef;
          return name ? [keyOf({ namespace, name })] : [];
        },
      });
  }

  async #bind(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { client } = this.#options;
    const found = await find(client, VolumeSnapshots, parseKey(key), signal);
    if (!found) return done;
    if (found.metadata.deletionTimestamp) return this.#unbind(found, signal);
    try {
      const asSource = { resource: VolumeSnapshots, object: found, finalizer: AS_SOURCE };
      const held = await addFinalizer(client, asSource, { signal });
      const content = await this.#contentFor(held, signal);
      const current = await client.get(VolumeSnapshots, held.metadata, { signal });
      const bound = { resource: VolumeSnapshots, object: current, finalizer: BOUND };
      await this.#report(await addFinalizer(client, bound, { signal }), content, signal);
      return done;
    } catch (error) {
      if (!(error instanceof NotPossible)) throw error;
      await this.#fail(found, error.message, signal);
      return requeueAfter(LOOK_AGAIN);
    }
  }

  async #contentFor(snapshot: VolumeSnapshot, signal: AbortSignal): Promise<VolumeSnapshotContent> {
    const { client } = this.#options;
    const { metadata, spec } = snapshot;
    const given = spec.source.volumeSnapshotContentName;
    const name = given ?? `snapcontent-${metadata.uid}`;
    const found = await find(client, VolumeSnapshotContents, { name }, signal);
    if (!given) return found ?? (await this.#newContent(snapshot, name, signal));
    if (!found) throw new NotPossible(`VolumeSnapshotContent ${name} is missing`);
    const { volumeSnapshotRef: ref } = found.spec;
    if (
      ref.namespace !== metadata.namespace ||
      ref.name !== metadata.name ||
      (ref.uid && ref.uid !== metadata.uid)
    ) {
      throw new NotPossible(`VolumeSnapshotContent ${name} is bound to a different snapshot`);
    }
    if (ref.uid) return found;
    const patch = { spec: { volumeSnapshotRef: { uid: metadata.uid } } };
    return client.patch(VolumeSnapshotContents, { name }, { type: "merge", patch }, { signal });
  }

  async #newContent(
    snapshot: VolumeSnapshot,
    name: string,
    signal: AbortSignal,
  ): Promise<VolumeSnapshotContent> {
    const { client } = this.#options;
    const { metadata, spec, apiVersion, kind } = snapshot;
    const claimName = spec.source.persistentVolumeClaimName ?? "";
    const at = { namespace: metadata.namespace, name: claimName };
    const claim = await find(client, PersistentVolumeClaims, at, signal);
    if (!claim) throw new NotPossible(`persistentvolumeclaim "${claimName}" not found`);
    if (claim.status?.phase !== "Bound")
      throw new NotPossible(`the claim ${claimName} is not yet bound to a volume`);
    const volume = await find(client, PersistentVolumes, { name: claim.spec?.volumeName ?? "" }, signal);
    const csi = volume?.spec?.csi;
    if (!csi) throw new NotPossible(`the volume of claim ${claimName} is not of a CSI driver`);
    const snapshotClass = await this.#classOf(snapshot, csi.driver, signal);
    if (snapshotClass.driver !== csi.driver) {
      throw new NotPossible(`the class ${snapshotClass.metadata.name} is not for the driver ${csi.driver}`);
    }
    const { namespace, uid, resourceVersion } = metadata;
    return client.create(
      VolumeSnapshotContents,
      {
        metadata: { name },
        spec: {
          deletionPolicy: snapshotClass.deletionPolicy,
          driver: csi.driver,
          source: { volumeHandle: csi.volumeHandle },
          sourceVolumeMode: volume.spec?.volumeMode ?? "Filesystem",
          volumeSnapshotClassName: snapshotClass.metadata.name,
          volumeSnapshotRef: {
            apiVersion,
            kind,
            ...(namespace === undefined ? {} : { namespace }),
            name: metadata.name,
            uid,
            resourceVersion,
          },
        },
      },
      { signal },
    );
  }

  /** The class that the snapshot names; without one it gets the default one, for all to see. */
  async #classOf(
    { metadata, spec }: VolumeSnapshot,
    driver: string,
    signal: AbortSignal,
  ): Promise<VolumeSnapshotClass> {
    const { client } = this.#options;
    const name = spec.volumeSnapshotClassName;
    if (name) {
      const found = await find(client, VolumeSnapshotClasses, { name }, signal);
      if (!found) throw new NotPossible(`volumesnapshotclass "${name}" not found`);
      return found;
    }
    const { items } = await client.list(VolumeSnapshotClasses, { signal });
    const [found] = items.filter(
      (item) => item.driver === driver && item.metadata.annotations?.[DEFAULT_SNAPSHOT_CLASS] === "true",
    );
    if (!found) throw new NotPossible(`there is no default snapshot class for the driver ${driver}`);
    const patch = { spec: { volumeSnapshotClassName: found.metadata.name } };
    await client.patch(VolumeSnapshots, metadata, { type: "merge", patch }, { signal });
    return found;
  }

  async #report(
    snapshot: VolumeSnapshot,
    content: VolumeSnapshotContent,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, events } = this.#options;
    const { readyToUse = false, creationTime, restoreSize, error } = content.status ?? {};
    const status = {
      boundVolumeSnapshotContentName: content.metadata.name,
      readyToUse,
      ...(creationTime === undefined ? {} : { creationTime: timestamp(creationTime / 1e6) }),
      ...(restoreSize === undefined ? {} : { restoreSize: bytes(restoreSize) }),
      ...(error ? { error } : {}),
    };
    await writeStatus(client, { resource: VolumeSnapshots, object: snapshot, status }, { signal });
    if (!readyToUse || snapshot.status?.readyToUse) return;
    const message = `Snapshot ${keyOf(snapshot)} is ready to use.`;
    events.event(snapshot, { type: "Normal", reason: "SnapshotReady", message });
  }

  async #fail(snapshot: VolumeSnapshot, why: string, signal: AbortSignal): Promise<void> {
    const { client, events, clock } = this.#options;
    const message = `Failed to create snapshot content with error ${why}`;
    events.event(snapshot, { type: "Warning", reason: "SnapshotContentCreationFailed", message });
    const current = (await find(client, VolumeSnapshots, snapshot.metadata, signal)) ?? snapshot;
    if (current.status?.error?.message === message) return;
    const status = { ...current.status, readyToUse: false, error: { message, time: timestamp(clock.now()) } };
    await writeStatus(client, { resource: VolumeSnapshots, object: current, status }, { signal });
  }

  /** The content goes with its snapshot, or stays, as its policy says; the snapshot waits until that is settled. */
  async #unbind(snapshot: VolumeSnapshot, signal: AbortSignal): Promise<Outcome> {
    const { client } = this.#options;
    const { uid } = snapshot.metadata;
    const name = snapshot.status?.boundVolumeSnapshotContentName ?? `snapcontent-${uid}`;
    const content = await find(client, VolumeSnapshotContents, { name }, signal);
    if (content?.spec.volumeSnapshotRef.uid === uid) {
      if (!content.metadata.annotations?.[BEING_DELETED]) {
        const patch = { metadata: { annotations: { [BEING_DELETED]: "yes" } } };
        await client.patch(VolumeSnapshotContents, { name }, { type: "merge", patch }, { signal });
      }
      if (content.spec.deletionPolicy === "Delete") {
        await client.delete(VolumeSnapshotContents, { name }, { uid: content.metadata.uid, signal });
        if (await find(client, VolumeSnapshotContents, { name }, signal)) return done;
      }
    }
    await removeFinalizers(
      client,
      { resource: VolumeSnapshots, object: snapshot },
      [AS_SOURCE, BOUND],
      signal,
    );
    return done;
  }
}

function bytes(size: number): string {
  return formatQuantity({ millis: BigInt(size) * 1000n, format: "binary" });
}
