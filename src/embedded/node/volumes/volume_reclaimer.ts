import { PersistentVolumeClaims, PersistentVolumes } from "../../../kube/builtin.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome } from "../../../kube/controller/controller.ts";
import { type ObjectKey, parseKey } from "../../../kube/object.ts";
import { writeStatus } from "../../../kube/write/status.ts";
import { find, removeFinalizers } from "../find.ts";
import type { NodePorts } from "../node_ports.ts";
import type { Claim, Volume } from "../objects.ts";
import { DRIVER, PROVISIONER_FINALIZER, VOLUME_PROTECTION } from "./names.ts";
import type { VolumeFolders } from "./volume_folders.ts";

export interface VolumeReclaimerOptions extends NodePorts {
  readonly claims: Cache<Claim>;
  readonly volumes: Cache<Volume>;
  readonly folders: VolumeFolders;
}

type Phase = "Available" | "Bound" | "Released" | "Pending";

/** Says which volumes are free or released, and removes those whose policy is to go with their claim. */
export class VolumeReclaimer {
  readonly controller: Controller;
  readonly #options: VolumeReclaimerOptions;

  constructor(options: VolumeReclaimerOptions) {
    const { claims, volumes } = options;
    this.#options = options;
    this.controller = new Controller({
      ...options,
      name: "volumes",
      concurrency: 4,
      reconcile: (key, signal) => this.#reconcile(key, signal),
    })
      .watch(volumes)
      .watch(claims, {
        when: ({ type }) => type === "removed",
        keys: (change) => this.#volumesOf(change.type === "removed" ? change.previous.metadata.uid : ""),
      });
  }

  *#volumesOf(claimUid: string): Iterable<ObjectKey> {
    for (const { metadata, spec } of this.#options.volumes.values()) {
      if (spec?.claimRef?.uid === claimUid) yield metadata.name as ObjectKey;
    }
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { client } = this.#options;
    const volume = await find(client, PersistentVolumes, parseKey(key), signal);
    if (!volume) return done;
    const phase = await this.#phaseOf(volume, signal);
    const status = { ...volume.status, phase };
    const seen = await writeStatus(
      client,
      { resource: PersistentVolumes, object: volume, status },
      { signal },
    );
    if (seen.metadata.deletionTimestamp) await this.#letGo(seen, phase, signal);
    else if (phase === "Released" && isOurs(seen) && deletes(seen)) {
      const { uid, resourceVersion } = seen.metadata;
      await client.delete(PersistentVolumes, seen.metadata, { uid, resourceVersion, signal });
    }
    return done;
  }

  /** Asks the server for the claim: what a cache has not seen yet is not gone. */
  async #phaseOf({ metadata, spec, status }: Volume, signal: AbortSignal): Promise<Phase> {
    const ref = spec?.claimRef;
    if (!ref) return "Available";
    const name = { namespace: ref.namespace, name: ref.name ?? "" };
    const claim = await find(this.#options.client, PersistentVolumeClaims, name, signal);
    if (!ref.uid) return claim?.spec?.volumeName === metadata.name ? "Bound" : "Available";
    if (claim?.metadata.uid !== ref.uid) return "Released";
    return claim.spec?.volumeName === metadata.name || status?.phase === "Bound" ? "Bound" : "Pending";
  }

  /** The volume is being deleted. Its folder goes first, unless it is to be kept. */
  async #letGo(volume: Volume, phase: Phase, signal: AbortSignal): Promise<void> {
    const { client, folders } = this.#options;
    if (phase === "Bound" || phase === "Pending") return;
    const handle = volume.spec?.csi?.volumeHandle;
    if (isOurs(volume) && deletes(volume) && handle) await folders.remove(handle);
    const finalizers = [PROVISIONER_FINALIZER, VOLUME_PROTECTION];
    await removeFinalizers(client, { resource: PersistentVolumes, object: volume }, finalizers, signal);
  }
}

function isOurs({ spec }: Volume): boolean {
  return spec?.csi?.driver === DRIVER;
}

function deletes({ spec }: Volume): boolean {
  return spec?.persistentVolumeReclaimPolicy === "Delete";
}
