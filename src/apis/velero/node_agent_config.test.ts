import { expect, test } from "vitest";
import type { ConfigMap } from "../../kube/builtin.ts";
import { concurrencyAt, nodeAgentConfig } from "./node_agent_config.ts";

const mapOf = (config: unknown): ConfigMap =>
  ({
    data: { "node-agent-config.json": typeof config === "string" ? config : JSON.stringify(config) },
  }) as never;

test("nodeAgentConfig() reads what counts here", () => {
  const config = nodeAgentConfig(
    mapOf({
      loadConcurrency: {
        globalConfig: 2,
        prepareQueueLength: 3,
        perNodeConfig: [
          { nodeSelector: { matchLabels: { disk: "fast" } }, number: 8 },
          { nodeSelector: { matchExpressions: [{ key: "small", operator: "Exists" }, "?"] }, number: 1 },
          { number: "many" },
        ],
      },
      podResources: { cpuRequest: "100m", memoryLimit: "2Gi", cpuLimit: "0" },
      priorityClassName: "low",
      privilegedFsBackup: true,
      podLabels: { a: "b" },
      podAnnotations: { c: "d" },
    }),
  );
  expect(config).toEqual({
    concurrency: 2,
    perNode: [
      { nodes: { matchLabels: { disk: "fast" }, matchExpressions: [] }, number: 8 },
      { nodes: { matchLabels: {}, matchExpressions: [{ key: "small", operator: "Exists" }] }, number: 1 },
    ],
    prepareQueueLength: 3,
    resources: { requests: { cpu: "100m" }, limits: { memory: "2Gi" } },
    priorityClassName: "low",
    privileged: true,
    podLabels: { a: "b" },
    podAnnotations: { c: "d" },
  });
  expect(concurrencyAt(config, {})).toBe(2);
  expect(concurrencyAt(config, { disk: "fast" })).toBe(8);
  expect(concurrencyAt(config, { disk: "fast", small: "yes" })).toBe(1);
});

test("a pod's volume is read on its pod's node, whatever loadAffinity says of volume snapshots", () => {
  const loadAffinity = [{ nodeSelector: { matchLabels: { backup: "here" } } }];
  expect(nodeAgentConfig(mapOf({ loadAffinity }))).toEqual(nodeAgentConfig(undefined));
});

test.each([undefined, mapOf("{"), mapOf([]), mapOf({ loadConcurrency: { globalConfig: 0 } })])(
  "nodeAgentConfig() has defaults for what cannot be read",
  (configMap) => {
    expect(nodeAgentConfig(configMap)).toEqual({ concurrency: 4, perNode: [] });
  },
);
