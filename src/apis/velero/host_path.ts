import { posix } from "node:path";
import type { PersistentVolumeSpec, Volume } from "kubernetes-types/core/v1.d.ts";
import type { Pod } from "../../kube/builtin.ts";
import { err, ok, type Result } from "../../lib/result.ts";

/** Where the kubelet keeps what belongs to pods, unless it is told otherwise. */
export const PODS_FOLDER = "/var/lib/kubelet/pods";

export interface PodVolumePlace {
  readonly pod: Pod;
  readonly volume: string;
  /** Of the PVC that the volume is from, where it is from one. */
  readonly persistent?: { readonly name: string; readonly spec: PersistentVolumeSpec } | undefined;
  /** Default: where kubelets have it. */
  readonly podsFolder?: string | undefined;
}

/** What a volume's plugin is called in the folders of a kubelet. */
const PLUGINS: Readonly<Record<string, string>> = {
  awsElasticBlockStore: "aws-ebs",
  azureDisk: "azure-disk",
  azureFile: "azure-file",
  cephfs: "cephfs",
  cinder: "cinder",
  configMap: "configmap",
  downwardAPI: "downward-api",
  emptyDir: "empty-dir",
  fc: "fc",
  gcePersistentDisk: "gce-pd",
  gitRepo: "git-repo",
  image: "image",
  iscsi: "iscsi",
  local: "local-volume",
  nfs: "nfs",
  portworxVolume: "portworx-volume",
  projected: "projected",
  rbd: "rbd",
  secret: "secret",
  vsphereVolume: "vsphere-volume",
};

/** What Kubernetes hands on to a CSI driver, whichever form the volume has. */
const MIGRATED: ReadonlySet<string> = new Set([
  "awsElasticBlockStore",
  "azureDisk",
  "azureFile",
  "cinder",
  "gcePersistentDisk",
  "portworxVolume",
  "vsphereVolume",
]);

/** The name of the claim that a volume of a pod is from. */
export function claimOf(pod: Pod, volume: string): string | undefined {
  const found = volumeOf(pod, volume);
  if (found?.ephemeral) return `${pod.metadata.name}-${volume}`;
  return found?.persistentVolumeClaim?.claimName;
}

/** Whether a volume is emptied when its pod goes. */
export function goesWithPod(pod: Pod, volume: string): boolean {
  const found = volumeOf(pod, volume);
  return found?.emptyDir !== undefined || found?.csi !== undefined;
}

/** The folder in which the kubelet has mounted a volume for a pod; or why there is none. */
export function hostPathOf(place: PodVolumePlace): Result<string, string> {
  const { pod, volume, persistent, podsFolder = PODS_FOLDER } = place;
  const where = `Volume ${volume} of pod ${pod.metadata.namespace}/${pod.metadata.name}`;
  if (isWindows(pod)) return err(`${where} is on a Windows node, whose files movers cannot read.`);
  const found = volumeOf(pod, volume);
  if (!found) return err(`${where} does not exist: the pod has no volume of this name.`);
  // A kubelet leaves out what no container uses.
  if (!isUsed(pod, volume))
    return err(`${where} is not mounted: no container of the pod uses it. Exclude the volume.`);
  if (persistent?.spec.volumeMode === "Block")
    return err(`${where} is a raw block device, which has no files. Use CSI snapshots for it.`);
  const kind = kindOf(persistent?.spec ?? found);
  if (kind === undefined) return err(`${where} is not of a kind that is known here.`);
  if (kind === "hostPath")
    return err(`${where} is a folder of its node, which no kubelet mounts apart. Exclude the volume.`);
  const name = persistent?.name ?? volume;
  const isCsi = kind === "csi" || (persistent !== undefined && MIGRATED.has(kind));
  const folder = isCsi
    ? `csi/${name}/mount`
    : (flexible(found, persistent?.spec, name) ?? plugin(kind, name));
  if (folder === undefined) return err(`${where} is of the kind ${kind}, which movers cannot read.`);
  const prefix = folder.includes("~") ? "" : "kubernetes.io~";
  return ok(posix.join(podsFolder, pod.metadata.uid, "volumes", `${prefix}${folder}`));
}

/** Below the folder of pods: a plugin's folder of one volume, and nothing within that, where a link may lead elsewhere. */
const VOLUME_FOLDER = /^([^/]+)\/volumes\/(?:kubernetes\.io~csi\/[^/]+\/mount|[^/]+~[^/]+\/[^/]+)$/;

/** Whether a path may be that of a volume of a pod. `uid`: of any pod, where it is not known. */
export function isVolumeFolder(
  path: string,
  {
    uid,
    podsFolder = PODS_FOLDER,
  }: { readonly uid?: string | undefined; readonly podsFolder?: string | undefined },
): boolean {
  const folder = posix.join(podsFolder, "/");
  if (!path.startsWith(folder) || posix.normalize(path) !== path) return false;
  const pod = VOLUME_FOLDER.exec(path.slice(folder.length))?.[1];
  return pod !== undefined && (uid === undefined || uid === "" || pod === uid);
}

/** Whose files are in the kubelet's folder itself, or are not data. All others are mounted over it. */
const UNMOUNTED: ReadonlySet<string> = new Set(
  ["emptyDir", "configMap", "secret", "projected", "downwardAPI", "gitRepo"].map(
    (kind) => `kubernetes.io~${PLUGINS[kind]}`,
  ),
);

/** How the path of a volume's folder ends, where its volume is mounted over it: nothing of its files is in the folder. */
export function mountedOver(hostPath: string): string | undefined {
  const [end, plugin = ""] = /[^/]+\/volumes\/([^/]+)\/.+$/.exec(hostPath) ?? [];
  return UNMOUNTED.has(plugin) ? undefined : end;
}

/** As a pod says it: with its system, or by choosing such nodes. */
function isWindows({ spec }: Pod): boolean {
  return [spec?.os?.name, spec?.nodeSelector?.["kubernetes.io/os"]].includes("windows");
}

function plugin(kind: string, name: string): string | undefined {
  const known = PLUGINS[kind];
  return known === undefined ? undefined : `${known}/${name}`;
}

/** Drivers of the older form bring their own name, `vendor/driver`. */
function flexible(
  volume: Volume,
  persistent: PersistentVolumeSpec | undefined,
  name: string,
): string | undefined {
  const { driver } = persistent?.flexVolume ?? volume.flexVolume ?? {};
  return driver === undefined ? undefined : `${driver.replaceAll("/", "~")}/${name}`;
}

function volumeOf({ spec }: Pod, volume: string): Volume | undefined {
  return spec?.volumes?.find(({ name }) => name === volume);
}

function isUsed({ spec }: Pod, volume: string): boolean {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  const all = [...containers, ...initContainers, ...ephemeralContainers];
  return all.some(({ volumeMounts = [], volumeDevices = [] }) =>
    [...volumeMounts, ...volumeDevices].some(({ name }) => name === volume),
  );
}

/** The field that says what a volume is. */
function kindOf(source: object): string | undefined {
  const kinds = ["csi", "hostPath", "flexVolume", ...Object.keys(PLUGINS)];
  return Object.entries(source).find(([key, value]) => value != null && kinds.includes(key))?.[0];
}
