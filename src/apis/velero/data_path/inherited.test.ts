import { expect, test } from "vitest";
import type { DaemonSet } from "../../../kube/builtin.ts";
import { inheritedFrom } from "./inherited.ts";

const agent = (container: object, pod: object = {}): DaemonSet =>
  ({
    metadata: { name: "node-agent" },
    spec: { template: { spec: { containers: [{ name: "node-agent", ...container }], ...pod } } },
  }) as unknown as DaemonSet;

test("without a node agent there is nothing to inherit", () => {
  expect(inheritedFrom(undefined)).toEqual({});
  expect(inheritedFrom(agent({ securityContext: { runAsNonRoot: true } }))).toEqual({});
});

test("variables with a value are inherited, but for those of the node agent's own pod", () => {
  const env = [
    { name: "HTTPS_PROXY", value: "http://proxy:3128" },
    { name: "VELERO_NAMESPACE", value: "velero" },
    { name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
  ];
  expect(inheritedFrom(agent({ env }))).toEqual({ env: { HTTPS_PROXY: "http://proxy:3128" } });
});

test("ConfigMaps and Secrets are inherited, and neither host paths nor what would hide the mover's own files", () => {
  const volumes = [
    { name: "host-pods", hostPath: { path: "/var/lib/kubelet/pods" } },
    { name: "ca", configMap: { name: "ca-bundle" } },
    { name: "cloud", secret: { secretName: "cloud-credentials" } },
    { name: "scratch", emptyDir: {} },
  ];
  const volumeMounts = [
    { name: "host-pods", mountPath: "/host_pods" },
    { name: "ca", mountPath: "/etc/ssl/extra", subPath: "ca.pem" },
    { name: "cloud", mountPath: "/credentials" },
    { name: "cloud", mountPath: "/holdfast/credentials" },
    { name: "cloud", mountPath: "/" },
    { name: "scratch", mountPath: "/scratch" },
  ];
  expect(inheritedFrom(agent({ volumeMounts }, { volumes }))).toEqual({
    files: [
      { mountPath: "/etc/ssl/extra", subPath: "ca.pem", configMap: { name: "ca-bundle" } },
      { mountPath: "/credentials", secret: { secretName: "cloud-credentials" } },
    ],
  });
});

test("what lets a node agent at the folders of the kubelet lets movers, too", () => {
  const seLinuxOptions = { type: "spc_t" };
  const tolerations = [{ operator: "Exists" }];
  const container = { securityContext: { privileged: true, runAsUser: 1000 } };
  expect(inheritedFrom(agent(container, { securityContext: { seLinuxOptions }, tolerations }))).toEqual({
    securityContext: { privileged: true, seLinuxOptions },
    // A mover on a node that is lost is lost, whatever a node agent tolerates: the first that fits counts.
    tolerations: [
      {
        key: "node.kubernetes.io/unreachable",
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 300,
      },
      {
        key: "node.kubernetes.io/not-ready",
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 300,
      },
      ...tolerations,
    ],
  });
});
