import { expect, test } from "vitest";
import { summarizePod } from "./pod_status.ts";

const NOW = Date.parse("2026-01-01T00:10:00Z");
const spec = { containers: [{ name: "a" }, { name: "b" }] };
const running = { ready: true, restartCount: 0, state: { running: {} } };
const ended = (reason: string, exitCode: number) => ({
  ready: false,
  restartCount: 0,
  state: { terminated: { reason, exitCode } },
});

test.each([
  ["a new pod", {}, { ready: "0/2", reason: "Pending", restarts: "0" }],
  [
    "a running pod",
    { containerStatuses: [running, running] },
    { ready: "2/2", reason: "Pending", restarts: "0" },
  ],
  [
    "a pod without its image",
    { containerStatuses: [{ state: { waiting: { reason: "ImagePullBackOff" } } }, running] },
    { ready: "1/2", reason: "ImagePullBackOff", restarts: "0" },
  ],
  [
    "a pod that ended badly",
    { phase: "Failed", containerStatuses: [ended("Error", 3), ended("Completed", 0)] },
    { ready: "0/2", reason: "Error", restarts: "0" },
  ],
  [
    "a pod that ended without a word",
    { phase: "Failed", containerStatuses: [{ state: { terminated: { exitCode: 3 } } }] },
    { ready: "0/2", reason: "ExitCode:3", restarts: "0" },
  ],
  [
    "a pod of which one container is done",
    {
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [ended("Completed", 0), running],
    },
    { ready: "1/2", reason: "Running", restarts: "0" },
  ],
  [
    "a pod that is restarted",
    {
      containerStatuses: [
        { ...running, restartCount: 2, lastState: { terminated: { finishedAt: "2026-01-01T00:05:00Z" } } },
      ],
    },
    { ready: "1/2", reason: "Pending", restarts: "2 (5m ago)" },
  ],
  [
    "an evicted pod",
    { phase: "Failed", reason: "Evicted" },
    { ready: "0/2", reason: "Evicted", restarts: "0" },
  ],
])("%s", (_, status, summary) => {
  expect(summarizePod({ spec, status: { phase: "Pending", ...status } }, NOW)).toEqual(summary);
});

test("init containers speak first", () => {
  const init = [{ name: "i" }, { name: "j" }];
  const pod = (initContainerStatuses: readonly object[]) => ({
    spec: { ...spec, initContainers: init },
    status: { phase: "Pending", initContainerStatuses },
  });
  expect(summarizePod(pod([{ name: "i", state: { running: {} } }]), NOW).reason).toBe("Init:0/2");
  expect(summarizePod(pod([{ name: "i", ...ended("Error", 1) }]), NOW).reason).toBe("Init:Error");
  const through = ["i", "j"].map((name) => ({ name, ...ended("Completed", 0) }));
  expect(summarizePod(pod(through), NOW)).toEqual({ ready: "0/2", reason: "Pending", restarts: "0" });
});

test("a pod on its way out is terminating, unless it is over", () => {
  const metadata = { deletionTimestamp: "2026-01-01T00:00:00Z" };
  expect(summarizePod({ metadata, spec, status: { phase: "Running" } }, NOW).reason).toBe("Terminating");
  expect(summarizePod({ metadata, spec, status: { phase: "Succeeded" } }, NOW).reason).toBe("Succeeded");
});
