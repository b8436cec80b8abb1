import { PersistentVolumeClaims, PersistentVolumes } from "../../../kube/builtin.ts";
import type { Reader } from "../../../kube/client.ts";
import { VolumeSnapshotContents, VolumeSnapshots } from "../../../kube/snapshot_kinds.ts";
import { parseQuantity } from "../../kinds/quantity.ts";
import { find } from "../find.ts";
import type { Claim } from "../objects.ts";
import { DRIVER } from "./names.ts";
import type { Original, VolumeFolders } from "./volume_folders.ts";

/** What a new volume begins with. */
export type Beginning =
  | { readonly type: "empty" }
  | { readonly type: "copy"; readonly of: Original }
  /** Somebody else fills it, and binds it when it is full. */
  | { readonly type: "populator" }
  /** Its source cannot be read yet. */
  | { readonly type: "wait"; readonly why: string };

export interface DataSourceOptions {
  readonly reader: Reader;
  readonly volumes: VolumeFolders;
  readonly snapshots: VolumeFolders;
}

/** Where the contents of a claim come from. */
export async function beginningOf(
  claim: Claim,
  { reader, volumes, snapshots }: DataSourceOptions,
  signal: AbortSignal,
): Promise<Beginning> {
  const source = claim.spec?.dataSourceRef ?? claim.spec?.dataSource;
  if (!source) return { type: "empty" };
  const { apiGroup = "", kind, name } = source;
  const { namespace } = claim.metadata;
  if ("namespace" in source && source.namespace && source.namespace !== namespace) {
    return wait("a data source in another namespace is not offered here");
  }
  if (apiGroup === VolumeSnapshots.group && kind === VolumeSnapshots.kind) {
    const snapshot = await find(reader, VolumeSnapshots, { namespace, name }, signal);
    if (!snapshot) return wait(`snapshot ${name} not found`);
    const content = snapshot.status?.boundVolumeSnapshotContentName;
    if (!snapshot.status?.readyToUse || !content) return wait(`snapshot ${name} is not Ready`);
    const { spec, status } = (await find(reader, VolumeSnapshotContents, { name: content }, signal)) ?? {};
    const handle = status?.snapshotHandle;
    if (spec?.driver !== DRIVER || !handle) return wait(`snapshot ${name} is not of the driver ${DRIVER}`);
    if (!snapshots.has(handle)) return wait(`the data of snapshot ${name} is gone`);
    if (requestOf(claim) < BigInt(status.restoreSize ?? 0)) {
      return wait(
        `the requested size is less than the ${status.restoreSize} bytes of the source snapshot ${name}`,
      );
    }
    return { type: "copy", of: { folders: snapshots, handle } };
  }
  if (apiGroup === "" && kind === PersistentVolumeClaims.kind) {
    const original = await find(reader, PersistentVolumeClaims, { namespace, name }, signal);
    if (!original) return wait(`claim ${name} not found`);
    if (original.status?.phase !== "Bound") return wait(`claim ${name} is not bound`);
    const volumeName = original.spec?.volumeName ?? "";
    const csi = (await find(reader, PersistentVolumes, { name: volumeName }, signal))?.spec?.csi;
    if (csi?.driver !== DRIVER) return wait(`claim ${name} is not of the driver ${DRIVER}`);
    if (requestOf(claim) < requestOf(original))
      return wait(`the requested size is less than that of claim ${name}`);
    return { type: "copy", of: { folders: volumes, handle: csi.volumeHandle } };
  }
  return { type: "populator" };
}

function wait(why: string): Beginning {
  return { type: "wait", why };
}

function requestOf({ spec }: Claim): bigint {
  return bytesOf(spec?.resources?.requests?.storage);
}

/** A size in bytes; none is zero. */
export function bytesOf(size = "0"): bigint {
  return (parseQuantity(size)?.millis ?? 0n) / 1000n;
}
