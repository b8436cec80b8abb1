import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { call } from "./api.ts";
import { builtinImages } from "./builtin_images.ts";
import { makeCertificates } from "./certificates.ts";
import { makeCgroup } from "./cgroups.ts";
import { apiServerReady, startComponent } from "./component.ts";
import {
  apiServerCommand,
  controllerManagerCommand,
  controlPlaneSubjects,
  etcdCommand,
  schedulerCommand,
} from "./control_plane.ts";
import { loadImages } from "./images.ts";
import { type ClusterInfo, type NodeInfo, readInfo, writeInfo } from "./info.ts";
import { writeKubeconfigs } from "./kubeconfig.ts";
import { connectNode } from "./network.ts";
import {
  containerdCommand,
  kubeletCommand,
  kubeProxyCommand,
  nodeReady,
  nodeSubjects,
} from "./node_programs.ts";
import { openNodeSpace } from "./node_space.ts";
import { pinnedProgram } from "./programs.ts";
import { run } from "./run.ts";
import type { Step } from "./steps.ts";
import {
  driverCommands,
  driverRegistered,
  driverSocket,
  installClasses,
  installSnapshotKinds,
  storageControllerCommands,
} from "./storage.ts";
import { until } from "./until.ts";

/** Prepares a cluster's folder, with its record, certificates and kubeconfigs. Data of an earlier boot stays. */
export async function prepare(info: ClusterInfo): Promise<void> {
  // Like a machine's /run: nothing in there means anything after a restart.
  rmSync(join(info.directory, "run"), { recursive: true, force: true });
  writeInfo(info);
  for (const folder of ["run", "log"]) mkdirSync(join(info.directory, folder), { recursive: true });
  const subjects = {
    ...controlPlaneSubjects(info.node?.addresses),
    ...(info.node ? nodeSubjects(info.node) : {}),
  };
  await makeCertificates(info.directory, subjects);
  writeKubeconfigs(info, Object.keys(subjects));
}

/** etcd and the API server, and the controller manager if wanted. */
export async function bootControlPlane(info: ClusterInfo, controllers: boolean, step: Step): Promise<void> {
  await step("etcd and API server", () => startApiServer(info));
  if (!controllers) return;
  await step("controller manager", async () => {
    await startComponent(info.directory, "kube-controller-manager", controllerManagerCommand(info));
    await settled(info, "there is a default service account", async () => {
      await call(info, { path: "/api/v1/namespaces/default/serviceaccounts/default" });
      return true;
    });
  });
}

/** A whole cluster on one node. The network lock must be held until `onConnected` is called. */
export async function bootFull(
  info: ClusterInfo,
  node: NodeInfo,
  step: Step,
  onConnected: () => void,
): Promise<void> {
  const { directory } = info;
  const begin = Date.now();
  const images = await step("images", builtinImages);
  await step("namespaces and network", async () => {
    makeCgroup(node.mark);
    await openNodeSpace(directory, images.pause);
    const init = readInfo(directory).components.node?.process;
    if (init) await connectNode(node, init);
    onConnected();
  });
  await Promise.all([
    step("etcd and API server", () => startApiServer(info)),
    step("containerd", async () => {
      await startComponent(directory, "containerd", containerdCommand(directory, node));
      await settled(info, "containerd answers", async () => {
        await run(pinnedProgram("ctr"), ["--address", node.containerd, "version"]);
        return true;
      });
      await loadImages(node, images.archives);
    }),
  ]);
  await startAll(directory, {
    "kube-controller-manager": controllerManagerCommand(info),
    "kube-scheduler": schedulerCommand(info),
    kubelet: kubeletCommand(directory, node),
    "kube-proxy": kubeProxyCommand(directory, node),
  });
  await Promise.all([
    step("node", () => settled(info, "the node is ready", () => nodeReady(info, begin))),
    step("volumes and snapshots", () => startStorage(info)),
  ]);
}

async function startApiServer(info: ClusterInfo): Promise<void> {
  await startComponent(info.directory, "etcd", etcdCommand(info));
  await startComponent(info.directory, "kube-apiserver", apiServerCommand(info));
  await apiServerReady(info.directory);
}

async function startStorage(info: ClusterInfo): Promise<void> {
  const { directory } = info;
  const { "csi-register": register = [], ...driver } = driverCommands(directory);
  await startAll(directory, driver);
  await installSnapshotKinds(info);
  await settled(info, "the driver listens", () => existsSync(driverSocket(directory)));
  await startAll(directory, { "csi-register": register, ...storageControllerCommands(directory) });
  await settled(info, "the snapshot kinds are served", () => installClasses(info).then(() => true));
  await settled(info, "the node knows the driver", () => driverRegistered(info));
}

async function startAll(
  directory: string,
  commands: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  await Promise.all(
    Object.entries(commands).map(([name, command]) => startComponent(directory, name, command)),
  );
}

/** Like `until`, and fails as soon as any component of the cluster has ended. */
function settled(info: ClusterInfo, what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  return until(what, check, { watch: readInfo(info.directory).components });
}
