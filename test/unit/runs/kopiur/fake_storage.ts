import {
  type VolumeSnapshot,
  VolumeSnapshotClasses,
  VolumeSnapshotContents,
  VolumeSnapshots,
} from "../../../../src/core/volumes/staging/snapshot_kinds.ts";
import { hasEnded } from "../../../../src/core/work/mover_container.ts";
import {
  CsiDrivers,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  StorageClasses,
} from "../../../../src/kube/builtin.ts";
import type { Client } from "../../../../src/kube/client.ts";
import type { KubeObject } from "../../../../src/kube/object.ts";
import type { Resource } from "../../../../src/kube/resource.ts";
import { timestamp } from "../../../../src/kube/write/timestamp.ts";
import type { Clock } from "../../../../src/lib/clock.ts";

const DRIVER = "fake.driver";
const CLASS = "fake";

type Claim = Awaited<ReturnType<Client["get"]>> & {
  readonly spec?: { readonly volumeName?: string; readonly storageClassName?: string };
};

/** A driver whose volumes hold nothing: claims are bound and snapshots taken at each tick, and go with their objects. */
export class FakeStorage {
  readonly #client: Client;
  readonly #clock: Clock;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async install(): Promise<void> {
    const metadata = { name: CLASS };
    await this.#client.create(CsiDrivers, { metadata: { name: DRIVER }, spec: {} } as never);
    await this.#client.create(StorageClasses, { metadata, provisioner: DRIVER });
    await this.#client.create(VolumeSnapshotClasses, { metadata, driver: DRIVER, deletionPolicy: "Delete" });
  }

  async claim(namespace: string, name: string): Promise<void> {
    await this.#client.create(PersistentVolumeClaims, {
      metadata: { namespace, name },
      spec: {
        storageClassName: CLASS,
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
      },
    });
    await this.tick();
  }

  async tick(): Promise<void> {
    const claims = (await this.#client.list(PersistentVolumeClaims)).items;
    const mounted = await this.#mounted();
    for (const claim of claims) {
      // Like any provisioner, it leaves to others what it cannot fill.
      if (claim.spec?.dataSourceRef?.kind === "Restore" && !claim.spec.volumeName) continue;
      if (!claim.spec?.volumeName) await this.#bind(claim as Claim);
      else if (claim.metadata.deletionTimestamp && !mounted.has(claim.metadata.name))
        await this.#letGo(PersistentVolumeClaims, claim);
    }
    const volumes = (await this.#client.list(PersistentVolumes)).items;
    for (const { metadata, spec } of volumes) {
      const { claimRef, persistentVolumeReclaimPolicy: policy } = spec ?? {};
      const owner = claims.find((claim) => refersTo(claimRef, claim));
      if (!owner && policy === "Delete") await this.#remove(metadata);
      else if (owner?.spec?.volumeName === metadata.name && owner.status?.phase !== "Bound")
        await this.#bound(owner.metadata);
    }
    const snapshots = (await this.#client.list(VolumeSnapshots)).items;
    for (const snapshot of snapshots) if (!snapshot.status?.readyToUse) await this.#take(snapshot);
    const uids = new Set(snapshots.map(({ metadata }) => metadata.uid));
    for (const { metadata, spec } of (await this.#client.list(VolumeSnapshotContents)).items)
      if (!uids.has(spec.volumeSnapshotRef.uid ?? ""))
        await this.#client.delete(VolumeSnapshotContents, metadata);
  }

  /** The names of claims that pods use which have not ended. */
  async #mounted(): Promise<ReadonlySet<string>> {
    const pods = (await this.#client.list(Pods)).items.filter((pod) => !hasEnded(pod));
    const volumes = pods.flatMap(({ spec }) => spec?.volumes ?? []);
    return new Set(volumes.flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []));
  }

  async #remove(metadata: KubeObject["metadata"]): Promise<void> {
    await this.#letGo(PersistentVolumes, { metadata });
    await this.#client.delete(PersistentVolumes, metadata);
  }

  async #letGo(resource: Resource, { metadata }: Pick<KubeObject, "metadata">): Promise<void> {
    const patch = { type: "merge", patch: { metadata: { finalizers: null } } } as const;
    await this.#client.patch(resource, metadata, patch as never);
  }

  async #bind({ metadata }: Claim): Promise<void> {
    const { namespace, name, uid } = metadata;
    const volumeName = `pvc-${uid}`;
    const capacity = { storage: "1Gi" };
    await this.#client.create(PersistentVolumes, {
      metadata: { name: volumeName },
      spec: {
        capacity,
        accessModes: ["ReadWriteOnce"],
        storageClassName: CLASS,
        persistentVolumeReclaimPolicy: "Delete",
        csi: { driver: DRIVER, volumeHandle: volumeName },
        claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: namespace ?? "", name, uid },
      },
    });
    const patch = { type: "merge", patch: { spec: { volumeName } } } as const;
    await this.#client.patch(PersistentVolumeClaims, metadata, patch);
    await this.#bound(metadata);
  }

  async #bound(metadata: KubeObject["metadata"]): Promise<void> {
    const status = { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] };
    const bound = { type: "merge", patch: { status } } as const;
    await this.#client.patch(PersistentVolumeClaims, metadata, bound, { subresource: "status" });
  }

  async #take(snapshot: VolumeSnapshot): Promise<void> {
    const { namespace, name, uid } = snapshot.metadata;
    const content = `snapcontent-${uid}`;
    await this.#client.create(VolumeSnapshotContents, {
      metadata: { name: content },
      spec: {
        deletionPolicy: "Delete",
        driver: DRIVER,
        source: { volumeHandle: "x" },
        volumeSnapshotRef: { namespace: namespace ?? "", name, uid },
      } as never,
    });
    const creationTime = timestamp(this.#clock.now());
    const status = {
      boundVolumeSnapshotContentName: content,
      readyToUse: true,
      creationTime,
      restoreSize: "1Gi",
    };
    await this.#client.patch(
      VolumeSnapshots,
      snapshot.metadata,
      { type: "merge", patch: { status } } as never,
      { subresource: "status" },
    );
  }
}

/** A volume may be kept for a claim by its name alone. */
function refersTo(
  ref: { readonly namespace?: string; readonly name?: string; readonly uid?: string } | undefined,
  { metadata }: KubeObject,
): boolean {
  if (ref?.uid) return ref.uid === metadata.uid;
  return ref?.name === metadata.name && ref.namespace === metadata.namespace;
}
