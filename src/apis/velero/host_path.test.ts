import { expect, test } from "vitest";
import type { Pod } from "../../kube/builtin.ts";
import { claimOf, goesWithPod, hostPathOf, isVolumeFolder, mountedOver } from "./host_path.ts";

const podWith = (volume: object, os?: string): Pod =>
  ({
    metadata: { namespace: "shop", name: "web-0", uid: "p1" },
    spec: {
      containers: [{ name: "app", volumeMounts: [{ name: "data", mountPath: "/data" }] }],
      volumes: [{ name: "data", ...volume }],
      ...(os ? { os: { name: os } } : {}),
    },
  }) as unknown as Pod;
const pvc = { persistentVolumeClaim: { claimName: "c" } };
const pv = (spec: object) => ({ name: "pv1", spec: spec as never });

test.each([
  [
    "a claim of a CSI driver",
    pvc,
    { csi: { driver: "d", volumeHandle: "h" } },
    "kubernetes.io~csi/pv1/mount",
  ],
  ["an inline volume of a CSI driver", { csi: { driver: "d" } }, undefined, "kubernetes.io~csi/data/mount"],
  ["an ephemeral claim", { ephemeral: {} }, { csi: {} }, "kubernetes.io~csi/pv1/mount"],
  ["an emptyDir", { emptyDir: {} }, undefined, "kubernetes.io~empty-dir/data"],
  ["a claim of NFS", pvc, { nfs: { server: "s", path: "/" } }, "kubernetes.io~nfs/pv1"],
  ["an inline volume of NFS", { nfs: { server: "s", path: "/" } }, undefined, "kubernetes.io~nfs/data"],
  ["a local volume", pvc, { local: { path: "/x" } }, "kubernetes.io~local-volume/pv1"],
  ["a disk that was handed on to CSI", pvc, { awsElasticBlockStore: {} }, "kubernetes.io~csi/pv1/mount"],
  ["a driver of the older form", pvc, { flexVolume: { driver: "a/b" } }, "a~b/pv1"],
  ["a Secret", { secret: {} }, undefined, "kubernetes.io~secret/data"],
  ["a projected volume", { projected: {} }, undefined, "kubernetes.io~projected/data"],
])("hostPathOf() finds %s", (_, volume, spec, folder) => {
  expect(isVolumeFolder(`/var/lib/kubelet/pods/p1/volumes/${folder}`, { uid: "p1" })).toBe(true);
  const persistent = spec && pv(spec);
  expect(hostPathOf({ pod: podWith(volume), volume: "data", persistent })).toEqual({
    ok: true,
    value: `/var/lib/kubelet/pods/p1/volumes/${folder}`,
  });
});

test.each([
  ["kubernetes.io~csi/pv1/mount", true],
  ["kubernetes.io~nfs/pv1", true],
  ["kubernetes.io~local-volume/pv1", true],
  ["a~b/pv1", true],
  ["a~secret/pv1", true],
  ["kubernetes.io~empty-dir/data", false],
  ["kubernetes.io~secret/data", false],
  ["kubernetes.io~downward-api/data", false],
])("mountedOver() knows whether a volume is mounted over its folder: %s", (folder, expected) => {
  const end = `p1/volumes/${folder}`;
  expect(mountedOver(`/data/kubelet/pods/${end}`)).toBe(expected ? end : undefined);
});

test("hostPathOf() looks where the kubelet is told to keep pods", () => {
  expect(hostPathOf({ pod: podWith({ emptyDir: {} }), volume: "data", podsFolder: "/k/pods" })).toMatchObject(
    {
      value: "/k/pods/p1/volumes/kubernetes.io~empty-dir/data",
    },
  );
});

test.each([
  ["containers", "volumeMounts", undefined],
  ["initContainers", "volumeMounts", undefined],
  ["ephemeralContainers", "volumeMounts", undefined],
  [
    "containers",
    "others",
    "Volume data of pod shop/web-0 is not mounted: no container of the pod uses it. Exclude the volume.",
  ],
])("hostPathOf() wants a volume that a kubelet mounts: by %s with %s", (kind, field, error) => {
  const { spec, ...pod } = podWith({ emptyDir: {} });
  const container = { name: "app", [field]: [{ name: "data", mountPath: "/data" }] };
  const using = { ...pod, spec: { ...spec, containers: [], [kind]: [container] } } as Pod;
  const found = hostPathOf({ pod: using, volume: "data" });
  expect(found.ok ? undefined : found.error).toBe(error);
});

test.each([
  [
    { hostPath: { path: "/" } },
    undefined,
    undefined,
    "is a folder of its node, which no kubelet mounts apart.",
  ],
  [pvc, { hostPath: { path: "/" } }, undefined, "is a folder of its node"],
  [pvc, { csi: {}, volumeMode: "Block" }, undefined, "is a raw block device, which has no files."],
  [{ emptyDir: {} }, undefined, "windows", "is on a Windows node, whose files movers cannot read."],
  [{ quobyte: {} }, undefined, undefined, "is not of a kind that is known here."],
])("hostPathOf() refuses %j %j %j", (volume, spec, os, why) => {
  const persistent = spec && pv(spec);
  const found = hostPathOf({ pod: podWith(volume, os), volume: "data", persistent });
  expect(found).toEqual({
    ok: false,
    error: expect.stringContaining(`Volume data of pod shop/web-0 ${why}`),
  });
});

test("hostPathOf() refuses a volume that the pod has not", () => {
  expect(hostPathOf({ pod: podWith({ emptyDir: {} }), volume: "cache" })).toMatchObject({
    error: "Volume cache of pod shop/web-0 does not exist: the pod has no volume of this name.",
  });
});

test("claimOf() names the claim of a volume", () => {
  expect(claimOf(podWith(pvc), "data")).toBe("c");
  expect(claimOf(podWith({ ephemeral: {} }), "data")).toBe("web-0-data");
  expect(claimOf(podWith({ emptyDir: {} }), "data")).toBeUndefined();
});

test("hostPathOf() knows a pod for Windows by the nodes that it chooses", () => {
  const pod = podWith({ emptyDir: {} });
  const chosen = { ...pod, spec: { ...pod.spec, nodeSelector: { "kubernetes.io/os": "windows" } } } as Pod;
  expect(hostPathOf({ pod: chosen, volume: "data" })).toMatchObject({
    error: expect.stringContaining("is on a Windows node"),
  });
});

test.each([
  [{ emptyDir: {} }, true],
  [{ csi: { driver: "d" } }, true],
  [{ nfs: { server: "s", path: "/" } }, false],
  [pvc, false],
])("goesWithPod() knows what is emptied with its pod: %j", (volume, expected) => {
  expect(goesWithPod(podWith(volume), "data")).toBe(expected);
});

test.each<[string, string, string | undefined]>([
  ["the root of a node", "/", "p1"],
  ["a folder of a node", "/etc", "etc"],
  ["another pod's", "/var/lib/kubelet/pods/p2/volumes/kubernetes.io~empty-dir/data", "p1"],
  ["all of a pod's", "/var/lib/kubelet/pods/p1/volumes", "p1"],
  ["a plugin's folder", "/var/lib/kubelet/pods/p1/volumes/kubernetes.io~empty-dir", "p1"],
  ["a way out", "/var/lib/kubelet/pods/p1/volumes/kubernetes.io~empty-dir/..", "p1"],
  ["a way out by the pod", "/var/lib/kubelet/pods/../volumes/a~b/c", ".."],
  ["what lies in a volume", "/var/lib/kubelet/pods/p1/volumes/kubernetes.io~empty-dir/data/link", "p1"],
  ["a link in a volume", "/var/lib/kubelet/pods/p1/volumes/kubernetes.io~empty-dir/data/mount", undefined],
  ["another place", "/tmp/pods/p1/volumes/kubernetes.io~empty-dir/data", "p1"],
])("isVolumeFolder() does not take %s for a volume of a pod", (_, path, uid) => {
  expect(isVolumeFolder(path, { uid })).toBe(false);
});

test("isVolumeFolder() takes the volume of any pod where its UID is not known", () => {
  const path = "/var/lib/kubelet/pods/p2/volumes/kubernetes.io~empty-dir/data";
  expect([undefined, ""].map((uid) => isVolumeFolder(path, { uid }))).toEqual([true, true]);
});
