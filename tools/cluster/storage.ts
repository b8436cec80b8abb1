import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isRecord } from "../../src/lib/json.ts";
import { messageOf } from "../../src/lib/result.ts";
import { apply, call } from "./api.ts";
import { cacheFolder } from "./folders.ts";
import type { ClusterInfo } from "./info.ts";
import { kubeconfigPath } from "./kubeconfig.ts";
import { kubeletFolder, NODE } from "./node_programs.ts";
import { pinnedProgram } from "./programs.ts";
import { run } from "./run.ts";

const DRIVER = "hostpath.csi.k8s.io";
const CLASS = "csi-hostpath";
const SNAPSHOT_CRDS = ["volumesnapshotclasses", "volumesnapshotcontents", "volumesnapshots"] as const;

/** The manifests of the snapshot kinds are not to be had. */
export class CrdsMissing extends Error {
  override name = "CrdsMissing";
}

/** The driver's own programs; they need no API server. */
export function driverCommands(directory: string): Record<string, string[]> {
  const socket = driverSocket(directory);
  const registration = join(kubeletFolder(directory), "plugins_registry/csi.sock");
  for (const path of [socket, registration]) {
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true });
  }
  return {
    "csi-hostpath": [
      pinnedProgram("hostpathplugin"),
      `--drivername=${DRIVER}`,
      `--endpoint=unix://${socket}`,
      `--nodeid=${NODE}`,
      `--statedir=${join(directory, "volumes")}`,
    ],
    "csi-register": [pinnedProgram("csi-register"), DRIVER, socket, registration],
  };
}

/** What turns claims into volumes and VolumeSnapshots into snapshots. */
export function storageControllerCommands(directory: string): Record<string, string[]> {
  const kubeconfig = `--kubeconfig=${kubeconfigPath(directory, "admin")}`;
  const unthrottled = ["--kube-api-qps=100", "--kube-api-burst=200"];
  const driver = `--csi-address=${driverSocket(directory)}`;
  return {
    "csi-provisioner": [pinnedProgram("csi-provisioner"), kubeconfig, driver, ...unthrottled],
    "csi-snapshotter": [pinnedProgram("csi-snapshotter"), kubeconfig, driver, ...unthrottled],
    "snapshot-controller": [pinnedProgram("snapshot-controller"), kubeconfig, ...unthrottled],
  };
}

export function driverSocket(directory: string): string {
  return join(kubeletFolder(directory), "plugins/csi.sock");
}

/** The kinds of snapshots, established. */
export async function installSnapshotKinds(info: ClusterInfo): Promise<void> {
  const folder = await snapshotCrds();
  await Promise.all(
    SNAPSHOT_CRDS.map((plural) =>
      apply(
        info,
        `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.snapshot.storage.k8s.io`,
        readFileSync(join(folder, crdFile(plural)), "utf8"),
      ),
    ),
  );
}

/** The driver and the default classes of volumes and of snapshots. */
export async function installClasses(info: ClusterInfo): Promise<void> {
  const put = (path: string, object: Record<string, unknown>) => apply(info, path, JSON.stringify(object));
  await put(`/apis/storage.k8s.io/v1/csidrivers/${DRIVER}`, {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIDriver",
    metadata: { name: DRIVER },
    spec: {
      fsGroupPolicy: "File",
      attachRequired: false,
      podInfoOnMount: true,
      volumeLifecycleModes: ["Persistent", "Ephemeral"],
    },
  });
  await put(`/apis/storage.k8s.io/v1/storageclasses/${CLASS}`, {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: CLASS, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: DRIVER,
  });
  await put(`/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses/${CLASS}`, {
    apiVersion: "snapshot.storage.k8s.io/v1",
    kind: "VolumeSnapshotClass",
    metadata: { name: CLASS, annotations: { "snapshot.storage.kubernetes.io/is-default-class": "true" } },
    driver: DRIVER,
    deletionPolicy: "Delete",
  });
}

/** Whether the kubelet knows the driver: before that, a pod with a volume waits. */
export async function driverRegistered(info: ClusterInfo): Promise<boolean> {
  const node = JSON.parse(await call(info, { path: `/apis/storage.k8s.io/v1/csinodes/${NODE}` })) as {
    readonly spec?: { readonly drivers?: readonly { readonly name: string }[] | null };
  };
  return (node.spec?.drivers ?? []).some(({ name }) => name === DRIVER);
}

/** The folder of the snapshot kinds' manifests: from the Go module that they come with, then from the cache. */
async function snapshotCrds(): Promise<string> {
  const module = "github.com/kubernetes-csi/external-snapshotter/client/v8";
  const pinned = fileURLToPath(new URL("../programs/kubernetes", import.meta.url));
  const version = new RegExp(`${module} (\\S+)`).exec(readFileSync(join(pinned, "go.mod"), "utf8"))?.[1];
  const cached = join(cacheFolder(), "snapshot-crds", version ?? "unknown");
  if (existsSync(cached)) return cached;
  const answer: unknown = JSON.parse(
    await run("go", ["mod", "download", "-json", module], { cwd: pinned }).catch((cause: unknown) => {
      throw new CrdsMissing(
        `the kinds of snapshots come with a Go module, which Go could not get; install Go, or allow it the network, this once: ${messageOf(cause)}`,
        { cause },
      );
    }),
  );
  if (!isRecord(answer) || typeof answer.Dir !== "string") {
    throw new CrdsMissing(`go mod download did not say where it keeps ${module}`);
  }
  const fresh = `${cached}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  for (const plural of SNAPSHOT_CRDS) {
    cpSync(join(answer.Dir, "config/crd", crdFile(plural)), join(fresh, crdFile(plural)));
  }
  renameSync(fresh, cached);
  return cached;
}

function crdFile(plural: string): string {
  return `snapshot.storage.k8s.io_${plural}.yaml`;
}
