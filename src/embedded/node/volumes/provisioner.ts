import { PersistentVolumeClaims, PersistentVolumes } from "../../../kube/builtin.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { find } from "../find.ts";
import type { NodePorts } from "../node_ports.ts";
import type { Claim, StorageClass, Volume } from "../objects.ts";
import { beginningOf } from "./data_source.ts";
import * as names from "./names.ts";
import type { VolumeFolders } from "./volume_folders.ts";

export interface ProvisionerOptions extends NodePorts {
  readonly folders: VolumeFolders;
  readonly snapshotFolders: VolumeFolders;
}

/** What became of a claim that no existing volume is for. */
export type Provisioned =
  | { readonly type: "made"; readonly claim: Claim; readonly volume: Volume }
  /** `retry`: what it waits for is not watched. */
  | { readonly type: "waiting"; readonly note: EventNote; readonly retry: boolean }
  /** The claim went away meanwhile. */
  | { readonly type: "unwanted" };

/** Makes volumes: folders, empty or filled from a snapshot or another claim. Their size is not enforced. */
export class Provisioner {
  readonly #options: ProvisionerOptions;

  constructor(options: ProvisionerOptions) {
    this.#options = options;
  }

  async provision(
    claim: Claim,
    storageClass: StorageClass | undefined,
    signal: AbortSignal,
  ): Promise<Provisioned> {
    const { client, folders, snapshotFolders, events } = this.#options;
    const { storageClassName } = claim.spec ?? {};
    if (!storageClassName) {
      const message = "no persistent volumes available for this claim and no storage class is set";
      return normal("FailedBinding", message);
    }
    if (!storageClass) {
      const message = `storageclass.storage.k8s.io "${storageClassName}" not found`;
      return warning("ProvisioningFailed", message);
    }
    const told = await this.#nameProvisioner(claim, storageClass.provisioner, signal);
    if (storageClass.provisioner !== names.DRIVER) {
      const message = `Waiting for a volume to be created either by the external provisioner '${storageClass.provisioner}' or manually by the system administrator.`;
      return normal("ExternalProvisioning", message);
    }
    const failed = (why: string) =>
      warning(
        "ProvisioningFailed",
        `failed to provision volume with StorageClass "${storageClassName}": ${why}`,
      );
    if (claim.spec?.volumeMode === "Block") return failed("volumes here are folders, not block devices");
    const source = { reader: client, volumes: folders, snapshots: snapshotFolders };
    const beginning = await beginningOf(claim, source, signal);
    if (beginning.type === "populator") {
      return normal("Provisioning", "Assuming an external populator will provision the volume");
    }
    if (beginning.type === "wait") return failed(beginning.why);
    const name = `pvc-${claim.metadata.uid}`;
    await folders.fill(name, beginning.type === "copy" ? beginning.of : undefined, signal);
    const known = await find(client, PersistentVolumes, { name }, signal);
    const still = await find(client, PersistentVolumeClaims, claim.metadata, signal);
    if (!known && still?.metadata.uid !== claim.metadata.uid) {
      await folders.remove(name);
      return { type: "unwanted" };
    }
    const volume =
      known ?? (await client.create(PersistentVolumes, newVolume(name, told, storageClass), { signal }));
    const message = `Successfully provisioned volume ${name}`;
    events.event(claim, { type: "Normal", reason: "ProvisioningSucceeded", message });
    return { type: "made", claim: told, volume };
  }

  async #nameProvisioner(claim: Claim, provisioner: string, signal: AbortSignal): Promise<Claim> {
    const annotations = Object.fromEntries(names.STORAGE_PROVISIONERS.map((name) => [name, provisioner]));
    if (names.STORAGE_PROVISIONERS.every((name) => claim.metadata.annotations?.[name] === provisioner))
      return claim;
    const patch = { metadata: { annotations, resourceVersion: claim.metadata.resourceVersion } };
    const change = { type: "merge", patch } as const;
    return this.#options.client.patch(PersistentVolumeClaims, claim.metadata, change, { signal });
  }
}

/** Nothing is wrong: what the claim waits for will be seen. */
export function normal(reason: string, message: string): Extract<Provisioned, { type: "waiting" }> {
  return { type: "waiting", note: { type: "Normal", reason, message }, retry: false };
}

/** Something has to be put right. */
export function warning(reason: string, message: string): Extract<Provisioned, { type: "waiting" }> {
  return { type: "waiting", note: { type: "Warning", reason, message }, retry: true };
}

/** How a volume names its claim. */
export function refTo({ metadata }: Claim) {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    ...(namespace === undefined ? {} : { namespace }),
    name,
    uid,
    resourceVersion,
  };
}

function newVolume(name: string, claim: Claim, storageClass: StorageClass) {
  const { accessModes, resources, volumeMode } = claim.spec ?? {};
  return {
    metadata: {
      name,
      annotations: { [names.PROVISIONED_BY]: names.DRIVER },
      finalizers: [names.PROVISIONER_FINALIZER, names.VOLUME_PROTECTION],
    },
    spec: {
      accessModes: accessModes ?? [],
      capacity: { storage: resources?.requests?.storage ?? "0" },
      claimRef: refTo(claim),
      csi: { driver: names.DRIVER, volumeHandle: name },
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
      storageClassName: storageClass.metadata.name,
      volumeMode: volumeMode ?? "Filesystem",
    },
  };
}
