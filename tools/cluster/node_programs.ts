import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call } from "./api.ts";
import type { Subject } from "./certificates.ts";
import type { ClusterInfo, NodeInfo } from "./info.ts";
import { kubeconfigPath } from "./kubeconfig.ts";
import { NodeImpossible } from "./node_impossible.ts";
import { cniFolder, pinnedProgram } from "./programs.ts";

/** The name of the only node. */
export const NODE = "node-1";

/** The image of the container that holds a pod together. */
export const PAUSE_IMAGE = "holdfast/pause:1";

/** The certificates of the node's programs. */
export function nodeSubjects(node: NodeInfo): Record<string, Subject> {
  return {
    kubelet: {
      commonName: `system:node:${NODE}`,
      organization: "system:nodes",
      names: [`DNS:${NODE}`, `IP:${node.addresses.node}`],
    },
    "kube-proxy": { commonName: "system:kube-proxy" },
  };
}

/** Writes containerd's and the pod network's configuration; returns the command. */
export function containerdCommand(directory: string, node: NodeInfo): string[] {
  const at = (file: string) => join(directory, file);
  mkdirSync(at("cni"), { recursive: true });
  writeFileSync(at("cni/10-pods.conflist"), JSON.stringify(podNetwork(directory, node), null, 2));
  writeFileSync(
    at("containerd.toml"),
    `version = 3
root = "${at("containerd")}"
state = "${at("run/containerd")}"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.nri.v1.nri", "io.containerd.snapshotter.v1.blockfile", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.erofs", "io.containerd.snapshotter.v1.zfs"]
[grpc]
  address = "${node.containerd}"
[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "${PAUSE_IMAGE}"
[plugins."io.containerd.cri.v1.runtime"]
  # Without CAP_SYS_RESOURCE, as in many containers and virtual machines, no pod would start.
  restrict_oom_score_adj = true
  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    runtime_path = "${pinnedProgram("containerd-shim-runc-v2")}"
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["${cniFolder()}"]
    conf_dir = "${at("cni")}"
`,
  );
  return [pinnedProgram("containerd"), "--config", at("containerd.toml")];
}

function podNetwork(directory: string, { addresses }: NodeInfo): unknown {
  return {
    cniVersion: "1.0.0",
    name: "pods",
    plugins: [
      {
        type: "bridge",
        bridge: "pods0",
        isGateway: true,
        hairpinMode: true,
        ipam: {
          type: "host-local",
          dataDir: join(directory, "run/cni"),
          ranges: [[{ subnet: addresses.pods }]],
          routes: [{ dst: "0.0.0.0/0" }],
        },
      },
      { type: "portmap", capabilities: { portMappings: true } },
    ],
  };
}

/** The bytes that the kernel takes as the path of a socket. */
const SOCKET_PATH = 107;

/** Where the kubelet keeps its pods, and sockets, whose paths must not get long. */
export function kubeletFolder(directory: string): string {
  return join(directory, "node");
}

/** @throws NodeImpossible where the cluster's folder is too deep for the kubelet's sockets. */
export function checkSocketPaths(directory: string): void {
  const longest = join(kubeletFolder(directory), "device-plugins/kubelet.sock");
  if (Buffer.byteLength(longest) <= SOCKET_PATH) return;
  throw new NodeImpossible(
    `a full cluster cannot keep its state in ${directory}: sockets in it would have paths of ${Buffer.byteLength(longest)} bytes, and the kernel takes ${SOCKET_PATH}: set HOLDFAST_CLUSTERS to a folder with a shorter path`,
  );
}

/** Writes the kubelet's configuration; returns the command. */
export function kubeletCommand(directory: string, node: NodeInfo): string[] {
  const at = (file: string) => join(directory, file);
  const configuration = {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    address: node.addresses.node,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: at("pki/ca.crt") },
    },
    authorization: { mode: "Webhook" },
    cgroupDriver: "cgroupfs",
    cgroupRoot: `/${node.mark}`,
    // Nobody answers there unless a test does; without an address every pod would get a warning event.
    clusterDNS: [node.addresses.host],
    clusterDomain: "cluster.local",
    containerRuntimeEndpoint: `unix://${node.containerd}`,
    enforceNodeAllocatable: [],
    evictionHard: {
      "memory.available": "50Mi",
      "nodefs.available": "1%",
      "nodefs.inodesFree": "1%",
      "imagefs.available": "1%",
    },
    failCgroupV1: false,
    failSwapOn: false,
    imageGCHighThresholdPercent: 100,
    resolvConf: "",
    serializeImagePulls: false,
    tlsCertFile: at("pki/kubelet.crt"),
    tlsPrivateKeyFile: at("pki/kubelet.key"),
    volumePluginDir: at("volume-plugins"),
  };
  writeFileSync(at("kubelet.json"), JSON.stringify(configuration, null, 2));
  return [
    pinnedProgram("kubelet"),
    `--config=${at("kubelet.json")}`,
    `--kubeconfig=${kubeconfigPath(directory, "kubelet")}`,
    `--hostname-override=${NODE}`,
    `--node-ip=${node.addresses.node}`,
    `--root-dir=${kubeletFolder(directory)}`,
  ];
}

/** Writes kube-proxy's configuration; returns the command. */
export function kubeProxyCommand(directory: string, node: NodeInfo): string[] {
  const path = join(directory, "kube-proxy.json");
  const configuration = {
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    mode: "iptables",
    hostnameOverride: NODE,
    clusterCIDR: node.addresses.pods,
    clientConnection: { kubeconfig: kubeconfigPath(directory, "kube-proxy") },
    // Zeros leave the kernel's settings, which are the whole machine's, as they are.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
  };
  writeFileSync(path, JSON.stringify(configuration, null, 2));
  return [pinnedProgram("kube-proxy"), `--config=${path}`];
}

/**
 * Whether pods can be created and run: there is a service account for them, and the node has said that it is
 * Ready since that time, not only before it went down.
 */
export async function nodeReady(info: ClusterInfo, since: number): Promise<boolean> {
  await call(info, { path: "/api/v1/namespaces/default/serviceaccounts/default" });
  const node = JSON.parse(await call(info, { path: `/api/v1/nodes/${NODE}` })) as {
    readonly status?: { readonly conditions?: readonly NodeCondition[] };
  };
  return (node.status?.conditions ?? []).some(
    ({ type, status, lastHeartbeatTime }) =>
      type === "Ready" && status === "True" && Date.parse(lastHeartbeatTime) >= since,
  );
}

interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly lastHeartbeatTime: string;
}
