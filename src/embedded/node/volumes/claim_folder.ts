import { PersistentVolumeClaims, PersistentVolumes } from "../../../kube/builtin.ts";
import type { Reader } from "../../../kube/client.ts";
import { find } from "../find.ts";
import { Unavailable } from "../pods/keyed_data.ts";
import type { ClaimFolder } from "../pods/pod_volumes.ts";
import { DRIVER } from "./names.ts";
import type { VolumeFolders } from "./volume_folders.ts";

export interface ClaimFolderOptions {
  readonly reader: Reader;
  readonly folders: VolumeFolders;
  /** Let volumes that are folders of the host be mounted. */
  readonly allowHostPath: boolean;
}

/** Where the volume of a bound claim is on this machine. Throws Unavailable. */
export async function claimFolder(
  { reader, folders, allowHostPath }: ClaimFolderOptions,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<ClaimFolder> {
  const claim = await find(reader, PersistentVolumeClaims, { namespace, name }, signal);
  if (claim?.status?.phase !== "Bound") throw new Unavailable(`persistentvolumeclaim "${name}" is not bound`);
  const volumeName = claim.spec?.volumeName ?? "";
  const volume = await find(reader, PersistentVolumes, { name: volumeName }, signal);
  const { csi, hostPath, local, accessModes } = volume?.spec ?? {};
  const readOnly = accessModes?.every((mode) => mode === "ReadOnlyMany") ?? false;
  if (csi?.driver === DRIVER) {
    if (!folders.has(csi.volumeHandle)) throw new Unavailable(`the folder of volume "${volumeName}" is gone`);
    return { folder: folders.path(csi.volumeHandle), readOnly, volume: volumeName };
  }
  const path = hostPath?.path ?? local?.path;
  if (path && allowHostPath) return { folder: path, readOnly };
  throw new Unavailable(
    path
      ? `volume "${volumeName}" is a folder of the host, which this node does not allow`
      : `volume "${volumeName}" is not of a kind that this node can mount`,
  );
}
