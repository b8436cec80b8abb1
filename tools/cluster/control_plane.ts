import { join } from "node:path";
import type { Addresses } from "./addresses.ts";
import type { Subject } from "./certificates.ts";
import { emulatedVersion } from "./emulated_version.ts";
import type { ClusterInfo } from "./info.ts";
import { kubeconfigPath } from "./kubeconfig.ts";
import { pinnedProgram } from "./programs.ts";

/** The certificates of the control plane and of the cluster's administrator. */
export function controlPlaneSubjects(addresses: Addresses | undefined): Record<string, Subject> {
  const served = addresses ? [addresses.node, addresses.firstService] : [];
  const names = ["kubernetes", "kubernetes.default", "kubernetes.default.svc", "localhost"];
  return {
    "kube-apiserver": {
      commonName: "kube-apiserver",
      names: [
        ...["127.0.0.1", ...served].map((address) => `IP:${address}`),
        ...names.map((name) => `DNS:${name}`),
      ],
    },
    "front-proxy": { commonName: "front-proxy" },
    admin: { commonName: "admin", organization: "system:masters" },
    "kube-controller-manager": { commonName: "system:kube-controller-manager" },
    "kube-scheduler": { commonName: "system:kube-scheduler" },
  };
}

/** Speaks over a socket in the cluster's folder, so that only its owner reaches it and no port is taken. */
export function etcdCommand(info: ClusterInfo): string[] {
  // No other member ever calls: any port will do, and the kernel picks it.
  const peer = "http://127.0.0.1:0";
  return [
    pinnedProgram("etcd"),
    `--data-dir=${join(info.directory, "etcd")}`,
    "--unsafe-no-fsync",
    "--log-level=warn",
    `--listen-client-urls=unix://${info.etcd}`,
    "--advertise-client-urls=unix://etcd:0",
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ];
}

export function apiServerCommand(info: ClusterInfo): string[] {
  const pki = (file: string) => join(info.directory, "pki", file);
  const { hostname, port } = new URL(info.server);
  const addresses = info.node?.addresses;
  return [
    pinnedProgram(info.apiServer),
    `--etcd-servers=unix://${info.etcd}`,
    `--bind-address=${hostname}`,
    `--secure-port=${port}`,
    ...(addresses
      ? [
          `--advertise-address=${hostname}`,
          `--service-cluster-ip-range=${addresses.services}`,
          `--kubelet-certificate-authority=${pki("ca.crt")}`,
          "--kubelet-preferred-address-types=InternalIP",
        ]
      : // The loopback address may not be a Service's endpoint.
        [
          "--endpoint-reconciler-type=none",
          "--advertise-address=127.0.0.1",
          "--service-cluster-ip-range=10.0.0.0/16",
        ]),
    // On SIGTERM, ends open watches instead of waiting a minute for them.
    "--shutdown-send-retry-after",
    "--authorization-mode=Node,RBAC",
    "--allow-privileged",
    `--client-ca-file=${pki("ca.crt")}`,
    `--tls-cert-file=${pki("kube-apiserver.crt")}`,
    `--tls-private-key-file=${pki("kube-apiserver.key")}`,
    `--kubelet-client-certificate=${pki("admin.crt")}`,
    `--kubelet-client-key=${pki("admin.key")}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${pki("sa.pub")}`,
    `--service-account-signing-key-file=${pki("sa.key")}`,
    `--requestheader-client-ca-file=${pki("ca.crt")}`,
    "--requestheader-allowed-names=front-proxy",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--proxy-client-cert-file=${pki("front-proxy.crt")}`,
    `--proxy-client-key-file=${pki("front-proxy.key")}`,
    ...info.apiserverArgs,
  ];
}

export function controllerManagerCommand(info: ClusterInfo): string[] {
  const pki = (file: string) => join(info.directory, "pki", file);
  return [
    pinnedProgram("kube-controller-manager"),
    `--kubeconfig=${kubeconfigPath(info.directory, "kube-controller-manager")}`,
    "--secure-port=0",
    "--leader-elect=false",
    ...emulatedVersion(info.apiServer),
    "--use-service-account-credentials",
    // The default is a folder of the machine, which it would create.
    `--flex-volume-plugin-dir=${join(info.directory, "volume-plugins")}`,
    `--root-ca-file=${pki("ca.crt")}`,
    `--service-account-private-key-file=${pki("sa.key")}`,
    `--cluster-signing-cert-file=${pki("ca.crt")}`,
    `--cluster-signing-key-file=${pki("ca.key")}`,
  ];
}

export function schedulerCommand(info: ClusterInfo): string[] {
  return [
    pinnedProgram("kube-scheduler"),
    `--kubeconfig=${kubeconfigPath(info.directory, "kube-scheduler")}`,
    "--secure-port=0",
    "--leader-elect=false",
    ...emulatedVersion(info.apiServer),
  ];
}
