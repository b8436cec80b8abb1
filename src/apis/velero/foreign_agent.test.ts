import { expect, test } from "vitest";
import { ApiError } from "../../kube/api_error.ts";
import type { Resource } from "../../kube/resource.ts";
import { sampleBackup } from "./data_path/testing/samples.ts";
import { isForeignWork } from "./foreign_agent.ts";

const ours = { containers: [{ name: "node-agent", args: ["node-agent"] }] };
const veleros = {
  containers: [{ name: "node-agent", command: ["/velero"], args: ["node-agent", "server"] }],
};
const running = { phase: "Running" };

test.each<[string, { daemonSet?: object; pods?: readonly object[]; mover?: object }, boolean]>([
  ["there is no agent", {}, false],
  ["the agents are ours", { daemonSet: ours, pods: [{ spec: ours, status: running }] }, false],
  ["Velero's agents are installed, though none runs", { daemonSet: veleros }, true],
  [
    "one of Velero's agents ends only now",
    { daemonSet: ours, pods: [{ spec: ours }, { spec: veleros, status: running }] },
    true,
  ],
  ["one of Velero's agents has ended", { pods: [{ spec: veleros, status: { phase: "Failed" } }] }, false],
  ["its mover works", { daemonSet: ours, mover: { status: running } }, true],
  ["its mover has ended", { daemonSet: ours, mover: { status: { phase: "Succeeded" } } }, false],
])("isForeignWork() where %s", async (_, { daemonSet, pods = [], mover }, expected) => {
  const client = {
    get: async ({ kind }: Resource) => {
      const found = kind === "DaemonSet" ? daemonSet && { spec: { template: { spec: daemonSet } } } : mover;
      if (found) return found;
      throw new ApiError({ request: "GET", code: 404, status: { reason: "NotFound" } });
    },
    list: async () => ({ items: pods }),
  };
  expect(await isForeignWork(client as never, sampleBackup, new AbortController().signal)).toBe(expected);
});
