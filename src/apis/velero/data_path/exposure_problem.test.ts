import { expect, test } from "vitest";
import { exposureProblem } from "./exposure_problem.ts";
import type { Exposed, PodVolume } from "./pod_volume.ts";
import { sampleBackup, sampleRestore } from "./testing/samples.ts";

const exposed: Exposed = {
  node: "n1",
  hostPath: "/var/lib/kubelet/pods/p1/volumes/kubernetes.io~csi/pv1/mount",
};
const restore: PodVolume = { ...sampleRestore, status: { phase: "Accepted", node: "n1" } };

test.each<[string, PodVolume]>([
  ["backup", sampleBackup],
  ["restore", restore],
])("the volume that a %s was accepted with is used", (_, object) => {
  expect(exposureProblem(object, exposed)).toBeUndefined();
});

test.each<[string, PodVolume, object, string]>([
  ["a folder of the node", sampleBackup, { hostPath: "/etc" }, "The folder /etc that was noted"],
  [
    "another pod's volume",
    sampleBackup,
    { hostPath: exposed.hostPath.replace("p1", "p2") },
    "is not that of a volume of pod shop/web-0.",
  ],
  ["what is no path", sampleBackup, { hostPath: 1 }, "The folder 1 that was noted"],
  [
    "another node, for a backup",
    sampleBackup,
    { node: "n2" },
    "The node n2 that was noted for the mover is not n1",
  ],
  [
    "another node, for a restore",
    restore,
    { node: "n2" },
    "The node n2 that was noted for the mover is not n1",
  ],
  [
    "a node, for a restore that has none",
    sampleRestore,
    {},
    "The node n1 that was noted for the mover is not any",
  ],
  ["no node at all", sampleRestore, { node: undefined }, "that was noted for the mover is not any"],
])("no mover is given %s", (_, object, more, problem) => {
  expect(exposureProblem(object, { ...exposed, ...more })).toContain(problem);
});

test("the folder of pods may be another one", () => {
  const hostPath = exposed.hostPath.replace("/var/lib/kubelet", "/data");
  expect(exposureProblem(sampleBackup, { ...exposed, hostPath }, "/data/pods")).toBeUndefined();
  expect(exposureProblem(sampleBackup, exposed, "/data/pods")).toBeDefined();
});
