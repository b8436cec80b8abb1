import { describe, expect, test } from "vitest";
import { type ConfigMap, ConfigMaps, Namespaces } from "../builtin.ts";
import type { Writer } from "../client.ts";
import { resourceName } from "../resource.ts";
import { webhook } from "./webhook.ts";
import { ensureWebhooks, removeWebhooks, webhookConfigurations } from "./webhook_configuration.ts";

const validating = webhook<ConfigMap>({
  type: "validating",
  name: "check.example.org",
  path: "/check",
  resource: ConfigMaps,
  subresource: "*",
  operations: ["CREATE", "DELETE"],
  namespaceSelector: { matchLabels: { a: "b" } },
  matchConditions: [{ name: "not-kube", expression: "request.namespace != 'kube-system'" }],
  validate: () => ({ allowed: true }),
});
const mutating = webhook({
  type: "mutating",
  name: "default.example.org",
  path: "/default",
  resource: Namespaces,
  operations: ["CREATE"],
  onFailure: "allow",
  timeoutSeconds: 3,
  mutate: () => ({ allowed: true }),
});

describe("webhookConfigurations()", () => {
  test("describes each webhook to the API server", () => {
    const service = { namespace: "holdfast", name: "webhook" };
    const configurations = webhookConfigurations({
      name: "holdfast",
      webhooks: [validating, mutating],
      reach: { service },
      caBundle: "pem",
      labels: { app: "holdfast" },
    });
    expect(configurations.validating).toEqual({
      metadata: { name: "holdfast", labels: { app: "holdfast" } },
      webhooks: [
        {
          name: "check.example.org",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          failurePolicy: "Fail",
          matchPolicy: "Equivalent",
          timeoutSeconds: 10,
          rules: [
            {
              apiGroups: [""],
              apiVersions: ["v1"],
              operations: ["CREATE", "DELETE"],
              resources: ["configmaps", "configmaps/*"],
              scope: "Namespaced",
            },
          ],
          clientConfig: { service: { ...service, port: 443, path: "/check" }, caBundle: "cGVt" },
          namespaceSelector: { matchLabels: { a: "b" } },
          matchConditions: [{ name: "not-kube", expression: "request.namespace != 'kube-system'" }],
        },
      ],
    });
    expect(configurations.mutating.webhooks).toMatchObject([
      {
        name: "default.example.org",
        failurePolicy: "Ignore",
        timeoutSeconds: 3,
        rules: [{ scope: "Cluster" }],
      },
    ]);
  });

  test("leaves the bundle out when somebody else fills it in", () => {
    const options = { name: "holdfast", webhooks: [validating], reach: { url: "https://10.0.0.1:8443" } };
    expect(webhookConfigurations(options).validating.webhooks[0]?.clientConfig).toEqual({
      url: "https://10.0.0.1:8443/check",
    });
  });
});

describe("ensureWebhooks() and removeWebhooks()", () => {
  const record = () => {
    const calls: string[] = [];
    const writer = {
      apply: async (resource, object, { fieldManager, force }) => {
        calls.push(`apply ${resourceName(resource)} ${object.metadata.name} ${fieldManager} ${force}`);
        return object as never;
      },
      delete: async (resource, { name }) => {
        calls.push(`delete ${resourceName(resource)} ${name}`);
        return resource.kind === "MutatingWebhookConfiguration";
      },
    } satisfies Pick<Writer, "apply" | "delete">;
    return { calls, writer };
  };

  test("apply what has webhooks and delete what has none", async () => {
    const { calls, writer } = record();
    const options = { name: "holdfast", reach: { url: "https://10.0.0.1:8443" }, fieldManager: "holdfast" };
    await ensureWebhooks(writer, { ...options, webhooks: [mutating] });
    expect(calls).toEqual([
      "delete validatingwebhookconfigurations.admissionregistration.k8s.io holdfast",
      "apply mutatingwebhookconfigurations.admissionregistration.k8s.io holdfast holdfast true",
    ]);
  });

  test("remove both kinds, and say whether there was one", async () => {
    const { calls, writer } = record();
    expect(await removeWebhooks(writer, "holdfast")).toBe(true);
    expect(calls).toEqual([
      "delete validatingwebhookconfigurations.admissionregistration.k8s.io holdfast",
      "delete mutatingwebhookconfigurations.admissionregistration.k8s.io holdfast",
    ]);
  });
});
