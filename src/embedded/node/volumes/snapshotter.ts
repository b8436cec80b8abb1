import { PersistentVolumeClaims, PersistentVolumes } from "../../../kube/builtin.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { type KubeObject, keyOf, type ObjectKey, parseKey } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { addFinalizer, removeFinalizer } from "../../../kube/write/finalizers.ts";
import { writeStatus } from "../../../kube/write/status.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { formatQuantity } from "../../kinds/quantity.ts";
import { find } from "../find.ts";
import type { NodePorts } from "../node_ports.ts";
import {
  type VolumeSnapshot,
  type VolumeSnapshotClass,
  VolumeSnapshotClasses,
  type VolumeSnapshotContent,
  VolumeSnapshotContents,
  VolumeSnapshots,
} from "../objects.ts";
import { bytesOf } from "./data_source.ts";
import { DEFAULT_SNAPSHOT_CLASS, DRIVER } from "./names.ts";
import type { VolumeFolders } from "./volume_folders.ts";

export interface SnapshotterOptions extends NodePorts {
  readonly snapshots: Cache<VolumeSnapshot>;
  readonly contents: Cache<VolumeSnapshotContent>;
  readonly folders: VolumeFolders;
  readonly snapshotFolders: VolumeFolders;
}

const BOUND = "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection";
const AS_SOURCE = "snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection";
const CONTENT_BOUND = "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection";
const BEING_DELETED = "snapshot.storage.kubernetes.io/volumesnapshot-being-deleted";
const LOOK_AGAIN = 2_000;
const LONGEST_COPY = 24 * 3_600_000;

/** A snapshot cannot be taken as things are. */
class NotPossible extends Error {
  override name = "NotPossible";
}

/** Takes snapshots of volumes, as the snapshot controller and a driver's sidecar do together. */
export class Snapshotter {
  /** Binds snapshots to their contents. */
  readonly snapshots: Controller;
  /** Takes and removes what the contents stand for. */
  readonly contents: Controller;
  readonly #options: SnapshotterOptions;

  constructor(options: SnapshotterOptions) {
    const { snapshots, contents, clock, random, log } = options;
    this.#options = options;
    const shared = { clock, random, log };
    this.snapshots = new Controller({
      ...shared,
      name: "snapshots",
      reconcile: (key, signal) => this.#bind(key, signal),
    })
      .watch(snapshots)
      .watch(contents, {
        keys: (change) => {
          const { spec } = change.type === "removed" ? change.previous : change.object;
          const { namespace, name } = spec.volumeSnapshotRef;
          return name ? [keyOf({ namespace, name })] : [];
        },
      });
    this.contents = new Controller({
      ...shared,
      name: "snapshot-contents",
      concurrency: 4,
      deadline: LONGEST_COPY,
      reconcile: (key, signal) => this.#take(key, signal),
    }).watch(contents);
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
      const bound = { resource: VolumeSnapshots, object: held, finalizer: BOUND };
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
    if (ref.namespace !== metadata.namespace || ref.name !== metadata.name || (ref.uid && ref.uid !== metadata.uid)) {
      throw new NotPossible(`VolumeSnapshotContent ${name} is bound to a different snapshot`);
    }
    if (ref.uid) return found;
    const patch = { spec: { volumeSnapshotRef: { uid: metadata.uid } } };
    return client.patch(VolumeSnapshotContents, { name }, { type: "merge", patch }, { signal });
  }

  async #newContent(snapshot: VolumeSnapshot, name: string, signal: AbortSignal): Promise<VolumeSnapshotContent> {
    const { client } = this.#options;
    const { metadata, spec, apiVersion, kind } = snapshot;
    const claimName = spec.source.persistentVolumeClaimName ?? "";
    const at = { namespace: metadata.namespace, name: claimName };
    const claim = await find(client, PersistentVolumeClaims, at, signal);
    if (!claim) throw new NotPossible(`the claim ${claimName} does not exist`);
    if (claim.status?.phase !== "Bound") throw new NotPossible(`the claim ${claimName} is not yet bound to a volume`);
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
        metadata: { name, finalizers: [CONTENT_BOUND] },
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

  async #classOf({ spec }: VolumeSnapshot, driver: string, signal: AbortSignal): Promise<VolumeSnapshotClass> {
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
    return found;
  }

  async #report(snapshot: VolumeSnapshot, content: VolumeSnapshotContent, signal: AbortSignal): Promise<void> {
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
    await this.#drop(VolumeSnapshots, snapshot, [AS_SOURCE, BOUND], signal);
    return done;
  }

  async #take(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { client, clock, folders, snapshotFolders } = this.#options;
    const content = await find(client, VolumeSnapshotContents, parseKey(key), signal);
    if (content?.spec.driver !== DRIVER) return done;
    if (content.metadata.deletionTimestamp) return this.#remove(content, signal);
    if (content.status?.readyToUse) return done;
    const { volumeHandle, snapshotHandle: given } = content.spec.source;
    const handle = given ?? content.metadata.name;
    const write = (status: object) =>
      writeStatus(client, { resource: VolumeSnapshotContents, object: content, status }, { signal });
    const size = volumeHandle ? await this.#sizeOf(volumeHandle, signal) : undefined;
    const there = volumeHandle !== undefined && folders.has(volumeHandle);
    if (!there && !snapshotFolders.has(handle)) {
      const error = { message: `there is no data for ${content.metadata.name}`, time: timestamp(clock.now()) };
      if (!content.status?.error) await write({ readyToUse: false, error });
      return requeueAfter(LOOK_AGAIN);
    }
    if (volumeHandle) await snapshotFolders.fill(handle, { folders, handle: volumeHandle }, signal);
    await write({
      snapshotHandle: handle,
      creationTime: Math.floor(clock.now()) * 1e6,
      readyToUse: true,
      ...(size === undefined ? {} : { restoreSize: size }),
    });
    return done;
  }

  async #remove(content: VolumeSnapshotContent, signal: AbortSignal): Promise<Outcome> {
    const { client, snapshotFolders } = this.#options;
    const { namespace, name, uid } = content.spec.volumeSnapshotRef;
    const user = name ? await find(client, VolumeSnapshots, { namespace, name }, signal) : undefined;
    if (user && user.metadata.uid === uid && !user.metadata.deletionTimestamp) return done;
    const handle = content.status?.snapshotHandle ?? content.spec.source.snapshotHandle ?? content.metadata.name;
    if (content.spec.deletionPolicy === "Delete") await snapshotFolders.remove(handle);
    await this.#drop(VolumeSnapshotContents, content, [CONTENT_BOUND], signal);
    return done;
  }

  async #drop<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    finalizers: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    let rest: T | undefined = object;
    for (const finalizer of finalizers) {
      if (rest) rest = await removeFinalizer(this.#options.client, { resource, object: rest, finalizer }, { signal });
    }
  }

  /** The size that a claim must have to take the snapshot in: the volume's. */
  async #sizeOf(volumeHandle: string, signal: AbortSignal): Promise<number | undefined> {
    const { items } = await this.#options.client.list(PersistentVolumes, { signal });
    const volume = items.find(({ spec }) => spec?.csi?.driver === DRIVER && spec.csi.volumeHandle === volumeHandle);
    return volume && Number(bytesOf(volume.spec?.capacity?.storage));
  }
}

function bytes(size: number): string {
  return formatQuantity({ millis: BigInt(size) * 1000n, format: "binary" });
}
