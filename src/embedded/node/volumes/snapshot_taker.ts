import { PersistentVolumes } from "../../../kube/builtin.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { type ObjectKey, parseKey } from "../../../kube/object.ts";
import {
  type VolumeSnapshotContent,
  VolumeSnapshotContents,
  VolumeSnapshots,
} from "../../../kube/snapshot_kinds.ts";
import { addFinalizer } from "../../../kube/write/finalizers.ts";
import { writeStatus } from "../../../kube/write/status.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { find, removeFinalizers } from "../find.ts";
import type { NodePorts } from "../node_ports.ts";
import { bytesOf } from "./data_source.ts";
import { CONTENT_BOUND, DRIVER } from "./names.ts";
import type { VolumeFolders } from "./volume_folders.ts";

export interface SnapshotTakerOptions extends NodePorts {
  readonly contents: Cache<VolumeSnapshotContent>;
  readonly folders: VolumeFolders;
  readonly snapshotFolders: VolumeFolders;
}

const LOOK_AGAIN = 2_000;
/** A copy takes as long as it takes. */
const LONGEST_COPY = 24 * 3_600_000;

/** Copies the volumes that contents name, and removes the copies with them, as a driver and its sidecar do. */
export class SnapshotTaker {
  readonly controller: Controller;
  readonly #options: SnapshotTakerOptions;

  constructor(options: SnapshotTakerOptions) {
    const { contents } = options;
    this.#options = options;
    this.controller = new Controller({
      ...options,
      name: "snapshot-contents",
      concurrency: 4,
      deadline: LONGEST_COPY,
      reconcile: (key, signal) => this.#take(key, signal),
    }).watch(contents);
  }

  async #take(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { client, clock, folders, snapshotFolders } = this.#options;
    const found = await find(client, VolumeSnapshotContents, parseKey(key), signal);
    if (found?.spec.driver !== DRIVER) return done;
    if (found.metadata.deletionTimestamp) return this.#remove(found, signal);
    if (found.status?.readyToUse) return done;
    const held = { resource: VolumeSnapshotContents, object: found, finalizer: CONTENT_BOUND };
    const content = await addFinalizer(client, held, { signal });
    const taken = Math.floor(clock.now());
    const { volumeHandle, snapshotHandle: given } = content.spec.source;
    const handle = given ?? content.metadata.name;
    const write = (status: object) =>
      writeStatus(client, { resource: VolumeSnapshotContents, object: content, status }, { signal });
    const size = volumeHandle ? await this.#sizeOf(volumeHandle, signal) : undefined;
    const there = volumeHandle !== undefined && folders.has(volumeHandle);
    if (!there && !snapshotFolders.has(handle)) {
      const error = {
        message: `there is no data for ${content.metadata.name}`,
        time: timestamp(clock.now()),
      };
      if (!content.status?.error) await write({ readyToUse: false, error });
      return requeueAfter(LOOK_AGAIN);
    }
    if (volumeHandle) await snapshotFolders.fill(handle, { folders, handle: volumeHandle }, signal);
    await write({
      snapshotHandle: handle,
      creationTime: taken * 1e6,
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
    const handle =
      content.status?.snapshotHandle ?? content.spec.source.snapshotHandle ?? content.metadata.name;
    if (content.spec.deletionPolicy === "Delete") await snapshotFolders.remove(handle);
    await removeFinalizers(
      client,
      { resource: VolumeSnapshotContents, object: content },
      [CONTENT_BOUND],
      signal,
    );
    return done;
  }

  /** The size that a claim must have to take the snapshot in: the volume's. */
  async #sizeOf(volumeHandle: string, signal: AbortSignal): Promise<number | undefined> {
    const { items } = await this.#options.client.list(PersistentVolumes, { signal });
    const volume = items.find(
      ({ spec }) => spec?.csi?.driver === DRIVER && spec.csi.volumeHandle === volumeHandle,
    );
    return volume && Number(bytesOf(volume.spec?.capacity?.storage));
  }
}
