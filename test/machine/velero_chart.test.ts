import { expect, test } from "vitest";
import { inheritedFrom } from "../../src/apis/velero/data_path/inherited.ts";
import type { DaemonSet } from "../../src/kube/builtin.ts";
import { one, rendered, template } from "./rendered_chart.ts";

const SERVED = { installScope: "cluster", "apis.velero.enabled": true };

test("the chart brings the node agent that a Velero server looks for, where Velero is", () => {
  const agent = one(rendered({ ...SERVED, "velero.namespace": "backup" }), "DaemonSet", "node-agent");
  const labels = { role: "node-agent" };
  expect(agent).toMatchObject({
    metadata: { namespace: "backup" },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true },
          containers: [{ image: "holdfast/mover:0.1.0", args: ["node-agent"] }],
        },
      },
    },
  });
  // A Service of the operator's must not take its pods for the operator's.
  expect(agent).not.toHaveProperty(["spec", "template", "metadata", "labels", "app.kubernetes.io/name"]);
});

test("the node agent has what movers inherit from it", () => {
  const agent = one(
    rendered({
      ...SERVED,
      "velero.nodeAgent.env[0].name": "HTTPS_PROXY",
      "velero.nodeAgent.env[0].value": "http://proxy:3128",
      "velero.nodeAgent.volumes[0].name": "ca",
      "velero.nodeAgent.volumes[0].configMap.name": "ca-bundle",
      "velero.nodeAgent.volumeMounts[0].name": "ca",
      "velero.nodeAgent.volumeMounts[0].mountPath": "/etc/ssl/extra",
    }),
    "DaemonSet",
    "node-agent",
  );
  expect(inheritedFrom(agent as unknown as DaemonSet)).toEqual({
    env: { HTTPS_PROXY: "http://proxy:3128" },
    files: [{ mountPath: "/etc/ssl/extra", configMap: { name: "ca-bundle" } }],
    // Those of nodes that are lost end, whatever else is tolerated.
    tolerations: [
      ...["unreachable", "not-ready"].map((state) => ({
        effect: "NoExecute",
        key: `node.kubernetes.io/${state}`,
        operator: "Exists",
        tolerationSeconds: 300,
      })),
      { operator: "Exists" },
    ],
  });
});

test("the chart brings no node agent for the other APIs", () => {
  expect(rendered().filter(({ kind }) => kind === "DaemonSet")).toEqual([]);
});

test("the settings of Velero reach the operator", () => {
  const deployment = JSON.stringify(
    one(rendered({ ...SERVED, "velero.podsFolder": "/var/lib/k0s/kubelet/pods" }), "Deployment"),
  );
  const settings = {
    velero: {
      fidelity: "Engine",
      namespace: "velero",
      nodeAgentConfigMap: "node-agent-config",
      podsFolder: "/var/lib/k0s/kubelet/pods",
    },
  };
  expect(deployment).toContain(JSON.stringify(JSON.stringify(settings)));
  expect(template({ ...SERVED, "velero.podsFolder": "pods" }).stderr).toContain("podsFolder");
});
