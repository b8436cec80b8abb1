import { expect, test } from "vitest";
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

test("the chart brings no node agent for the other APIs", () => {
  expect(rendered().filter(({ kind }) => kind === "DaemonSet")).toEqual([]);
});

test("the settings of Velero reach the operator", () => {
  const deployment = JSON.stringify(
    one(rendered({ ...SERVED, "velero.podsFolder": "/var/lib/k0s/kubelet/pods" }), "Deployment"),
  );
  const settings = {
    velero: {
      namespace: "velero",
      nodeAgentConfigMap: "node-agent-config",
      podsFolder: "/var/lib/k0s/kubelet/pods",
    },
  };
  expect(deployment).toContain(JSON.stringify(JSON.stringify(settings)));
  expect(template({ ...SERVED, "velero.podsFolder": "pods" }).stderr).toContain("podsFolder");
});
