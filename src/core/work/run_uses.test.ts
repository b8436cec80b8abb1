import { describe, expect, test } from "vitest";
import type { RunTask } from "./run_request.ts";
import { type AllowedUses, refusedUse } from "./run_uses.ts";
import { Tasks, type TasksOptions } from "./tasks.ts";
import { sampleTask } from "./testing/samples.ts";

const POD = "/var/lib/kubelet/pods/6f0e8c1c-0000-4000-8000-000000000001";
const CSI = `${POD}/volumes/kubernetes.io~csi/pvc-1/mount`;
const all: AllowedUses = new Map([["example.com", ["hostPath", "startSignal"]]]);
const others: AllowedUses = new Map([["other.example.com", ["hostPath", "startSignal"]]]);
const mounting = (hostPath: string, mover: Partial<RunTask["mover"]> = { nodeName: "node-1" }): RunTask => ({
  ...sampleTask,
  hostVolume: { name: "data", hostPath, readOnly: true },
  mover: { ...sampleTask.mover, ...mover },
});
const signalled: RunTask = { ...sampleTask, startsBySignal: true };

describe("refusedUse()", () => {
  test.each<[string, RunTask, AllowedUses, string | undefined]>([
    ["what everybody may", sampleTask, new Map(), undefined],
    ["a start signal", signalled, all, undefined],
    ["a start signal that nobody declared", signalled, new Map(), "StartSignalNotAllowed"],
    ["a start signal that another API declared", signalled, others, "StartSignalNotAllowed"],
    [
      "a start signal beside a declared host path",
      signalled,
      new Map([["example.com", ["hostPath"]]]),
      "StartSignalNotAllowed",
    ],
    ["a host path", mounting(CSI), all, undefined],
    ["a host path that another API declared", mounting(CSI), others, "HostPathNotAllowed"],
    [
      "a host path on the node of a selector",
      mounting(CSI, { nodeSelector: { "kubernetes.io/hostname": "n" } }),
      all,
      undefined,
    ],
    [
      "a host path on some node",
      mounting(CSI, { nodeSelector: { disk: "ssd" } }),
      all,
      "HostPathWithoutNode",
    ],
  ])("of %s", (_, task, allowed, reason) => {
    expect(refusedUse(task, allowed)?.reason).toBe(reason);
  });

  test.each<[string, boolean]>([
    [CSI, true],
    [`${POD}/volumes/kubernetes.io~nfs/pv`, true],
    ["/var/snap/kubelet/pods/u/volumes/kubernetes.io~local-volume/pv", true],
    ["/", false],
    ["/var/lib/kubelet/pods", false],
    [POD, false],
    [`${POD}/volumes`, false],
    [`${POD}/volumes/kubernetes.io~csi`, false],
    [`${POD}/volumes/kubernetes.io~csi/pvc-1`, false],
    [`${CSI}/inside`, false],
    [`${CSI}/`, false],
    [`${POD}/volumes/kubernetes.io~empty-dir/tmp/mount`, false],
    [`${POD}/volumes/kubernetes.io~empty-dir/pods/u/volumes/x/link`, false],
    [`${POD}/volumes/kubernetes.io~nfs/..`, false],
    [`${POD}/volumes/./x`, false],
    [CSI.slice(1), false],
    ["/etc", false],
  ])("takes %s for the folder of one volume: %s", (path, fine) => {
    expect(refusedUse(mounting(path), all)?.reason).toBe(fine ? undefined : "HostPathInvalid");
  });
});

test("a task that is refused is not even looked at", async () => {
  const tasks = new Tasks({ caches: {}, uses: others } as unknown as TasksOptions);
  const decided = tasks.decide({ task: signalled, policy: {}, start: true });
  await expect(decided).rejects.toMatchObject({ class: "terminal", reason: "StartSignalNotAllowed" });
});
