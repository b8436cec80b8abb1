import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PersistentVolumeClaimSpec } from "kubernetes-types/core/v1.d.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isNotFound } from "../../../kube/api_error.ts";
import { Events, PersistentVolumeClaims, PersistentVolumes, Pods } from "../../../kube/builtin.ts";
import { VolumeSnapshotContents, VolumeSnapshots } from "../../../kube/snapshot_kinds.ts";
import { HOST_IMAGE, Machine } from "../testing/machine.ts";
import { DRIVER } from "./names.ts";

const namespace = "default";
const named = (name: string) => ({ namespace, name });
const bound = (object: { status?: { phase?: string } }) => object.status?.phase === "Bound";

describe("volumes on this machine", { timeout: 30_000 }, () => {
  let machine: Machine;

  beforeAll(async () => {
    machine = new Machine({ isolation: "none" });
    await machine.start();
  });

  afterAll(() => machine.close());

  const claim = (name: string, spec: Partial<PersistentVolumeClaimSpec> = {}) =>
    machine.client.create(PersistentVolumeClaims, {
      metadata: named(name),
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Mi" } }, ...spec },
    });
  const boundClaim = (name: string) => machine.until(PersistentVolumeClaims, named(name), bound);
  const volumeOf = async (name: string) => {
    const { spec } = await boundClaim(name);
    return machine.client.get(PersistentVolumes, { name: spec?.volumeName ?? "" });
  };
  const folderOf = async (name: string) =>
    join(machine.state, "volumes", (await volumeOf(name)).spec?.csi?.volumeHandle ?? "");
  const snapshot = async (name: string, of: string) => {
    const spec = { source: { persistentVolumeClaimName: of } };
    await machine.client.create(VolumeSnapshots, { metadata: named(name), spec });
    return machine.until(VolumeSnapshots, named(name), ({ status }) => status?.readyToUse);
  };
  const reasonsOf = async (name: string) =>
    (await machine.client.list(Events, { namespace })).items
      .filter(({ involvedObject }) => involvedObject.name === name)
      .map(({ reason }) => reason);
  const pod = (name: string, claimName: string) =>
    machine.client.create(Pods, {
      metadata: named(name),
      spec: {
        containers: [{ name: "main", image: HOST_IMAGE }],
        volumes: [{ name: "v", persistentVolumeClaim: { claimName } }],
      },
    });

  test("a claim becomes an empty folder, bound to it both ways", async () => {
    await claim("fresh");
    const { metadata, spec, status } = await boundClaim("fresh");
    const volume = await volumeOf("fresh");
    expect(spec?.storageClassName).toBe("holdfast-local");
    expect(status).toMatchObject({ accessModes: ["ReadWriteOnce"], capacity: { storage: "10Mi" } });
    expect(metadata.annotations).toMatchObject({
      "pv.kubernetes.io/bind-completed": "yes",
      "pv.kubernetes.io/bound-by-controller": "yes",
      "volume.kubernetes.io/storage-provisioner": DRIVER,
    });
    expect(volume.metadata.name).toBe(`pvc-${metadata.uid}`);
    expect(volume.spec).toMatchObject({
      capacity: { storage: "10Mi" },
      claimRef: { namespace, name: "fresh", uid: metadata.uid },
      persistentVolumeReclaimPolicy: "Delete",
    });
    expect(volume.status?.phase).toBe("Bound");
    expect(readdirSync(await folderOf("fresh"))).toEqual([]);
  });

  test("a claim that waits for its first consumer is bound when a pod wants it", async () => {
    await claim("waiting", { storageClassName: "holdfast-local-wait" });
    await expect.poll(() => reasonsOf("waiting"), { timeout: 10_000 }).toContain("WaitForFirstConsumer");
    expect((await machine.client.get(PersistentVolumeClaims, named("waiting"))).status?.phase).toBe(
      "Pending",
    );
    await pod("consumer", "waiting");
    const { metadata } = await boundClaim("waiting");
    expect(metadata.annotations?.["volume.kubernetes.io/selected-node"]).toBe("this-machine");
    await machine.until(Pods, named("consumer"), ({ spec }) => spec?.nodeName);
  });

  const withOwnVolume = (name: string) =>
    machine.client.create(Pods, {
      metadata: named(name),
      spec: {
        containers: [{ name: "main", image: HOST_IMAGE }],
        volumes: [
          {
            name: "own",
            ephemeral: {
              volumeClaimTemplate: {
                metadata: { labels: { kind: "cache" } },
                spec: {
                  accessModes: ["ReadWriteOnce"],
                  storageClassName: "holdfast-local-wait",
                  resources: { requests: { storage: "10Mi" } },
                },
              },
            },
          },
        ],
      },
    });

  test("a pod's own volume is made with it", async () => {
    const { metadata: owner } = await withOwnVolume("owner");
    const { metadata } = await boundClaim("owner-own");
    expect(metadata.labels).toEqual({ kind: "cache" });
    expect(metadata.ownerReferences).toMatchObject([{ kind: "Pod", uid: owner.uid, controller: true }]);
    await machine.until(Pods, named("owner"), ({ spec }) => spec?.nodeName);
  });

  test("a claim of somebody else's is not taken for a pod's own volume", async () => {
    await claim("pretender-own");
    await boundClaim("pretender-own");
    await withOwnVolume("pretender");
    const { status } = await machine.until(
      Pods,
      named("pretender"),
      (one) => one.status?.conditions?.[0]?.reason === "Unschedulable",
    );
    expect(status?.conditions?.[0]?.message).toContain("was not created for pod");
  });

  test("a claim that grows has more capacity", async () => {
    await claim("growing");
    await boundClaim("growing");
    const patch = { spec: { resources: { requests: { storage: "20Mi" } } } };
    await machine.client.patch(PersistentVolumeClaims, named("growing"), { type: "merge", patch });
    await machine.until(
      PersistentVolumeClaims,
      named("growing"),
      ({ status }) => status?.capacity?.storage === "20Mi",
    );
    expect((await volumeOf("growing")).spec?.capacity?.storage).toBe("20Mi");
  });

  test("a deleted claim takes its folder along", async () => {
    await claim("passing");
    const folder = await folderOf("passing");
    const { metadata } = await volumeOf("passing");
    await machine.client.delete(PersistentVolumeClaims, named("passing"));
    await machine.untilGone(PersistentVolumes, metadata);
    expect(existsSync(folder)).toBe(false);
  });

  test("a volume that is to be retained is released, and keeps its data", async () => {
    await claim("kept");
    const folder = await folderOf("kept");
    const { metadata } = await volumeOf("kept");
    const patch = { spec: { persistentVolumeReclaimPolicy: "Retain" } };
    await machine.client.patch(PersistentVolumes, metadata, { type: "merge", patch });
    await machine.client.delete(PersistentVolumeClaims, named("kept"));
    await machine.until(PersistentVolumes, metadata, ({ status }) => status?.phase === "Released");
    expect(existsSync(folder)).toBe(true);
    await machine.client.delete(PersistentVolumes, metadata);
    await machine.untilGone(PersistentVolumes, metadata);
    expect(existsSync(folder)).toBe(true);
  });

  test("a claim that a pod names stays until the pod is gone", async () => {
    await claim("needed");
    await boundClaim("needed");
    await pod("user", "needed");
    await machine.until(Pods, named("user"), ({ spec }) => spec?.nodeName);
    await machine.client.delete(PersistentVolumeClaims, named("needed"));
    await machine.client.patch(PersistentVolumeClaims, named("needed"), {
      type: "merge",
      patch: { metadata: { annotations: { look: "again" } } },
    });
    expect((await machine.client.get(PersistentVolumeClaims, named("needed"))).metadata.finalizers).toEqual([
      "kubernetes.io/pvc-protection",
    ]);
    await machine.client.delete(Pods, named("user"), { gracePeriodSeconds: 0 });
    await machine.untilGone(PersistentVolumeClaims, named("needed"));
  });

  test("a claim with a source of an unknown kind is left to its populator, which hands over its own volume", async () => {
    const dataSourceRef = { apiGroup: "example.com", kind: "Thing", name: "x" };
    const wanting = await claim("populated", { dataSourceRef });
    await expect.poll(() => reasonsOf("populated"), { timeout: 10_000 }).toContain("Provisioning");
    await claim("prime");
    writeFileSync(join(await folderOf("prime"), "filled"), "yes");
    const volume = await volumeOf("prime");
    const claimRef = { namespace, name: "populated", uid: wanting.metadata.uid, resourceVersion: null };
    await machine.client.patch(PersistentVolumes, volume.metadata, {
      type: "merge",
      patch: { spec: { claimRef } },
    });
    const { spec } = await boundClaim("populated");
    expect(spec?.volumeName).toBe(volume.metadata.name);
    await machine.until(PersistentVolumeClaims, named("prime"), ({ status }) => status?.phase === "Lost");
    await machine.client.delete(PersistentVolumeClaims, named("prime"));
    await machine.untilGone(PersistentVolumeClaims, named("prime"));
    expect(readFileSync(join(await folderOf("populated"), "filled"), "utf8")).toBe("yes");
    expect((await volumeOf("populated")).status?.phase).toBe("Bound");
  });

  test("a claim takes the volume that it names, and an unfit one is refused", async () => {
    const volume = (name: string, storage: string) =>
      machine.client.create(PersistentVolumes, {
        metadata: { name },
        spec: {
          accessModes: ["ReadWriteOnce"],
          capacity: { storage },
          csi: { driver: DRIVER, volumeHandle: name },
          storageClassName: "manual",
        },
      });
    await volume("chosen", "10Mi");
    await volume("small", "1Mi");
    await claim("chooser", { storageClassName: "manual", volumeName: "chosen" });
    expect((await boundClaim("chooser")).metadata.annotations).not.toHaveProperty(
      "pv.kubernetes.io/bound-by-controller",
    );
    await claim("greedy", { storageClassName: "manual", volumeName: "small" });
    await expect.poll(() => reasonsOf("greedy"), { timeout: 10_000 }).toContain("VolumeMismatch");
  });

  test("a snapshot is a copy of its moment, and fills new claims", async () => {
    await claim("original");
    const folder = await folderOf("original");
    mkdirSync(join(folder, "deep"));
    writeFileSync(join(folder, "deep/file"), "before");
    const taken = await snapshot("moment", "original");
    expect(taken.status).toMatchObject({ restoreSize: "10Mi", creationTime: expect.any(String) });
    writeFileSync(join(folder, "deep/file"), "after");
    const dataSource = { apiGroup: VolumeSnapshots.group, kind: "VolumeSnapshot", name: "moment" };
    await claim("restored", { dataSource });
    expect(readFileSync(join(await folderOf("restored"), "deep/file"), "utf8")).toBe("before");
    await claim("too-small", { dataSource, resources: { requests: { storage: "1Mi" } } });
    await expect.poll(() => reasonsOf("too-small"), { timeout: 10_000 }).toContain("ProvisioningFailed");
  });

  test("a snapshot goes with its data, or leaves it behind to be imported, as its policy says", async () => {
    await claim("source");
    const stored = (content: string) => join(machine.state, "snapshots", content);
    const going = (await snapshot("going", "source")).status?.boundVolumeSnapshotContentName ?? "";
    expect(existsSync(stored(going))).toBe(true);
    await machine.client.delete(VolumeSnapshots, named("going"));
    await machine.untilGone(VolumeSnapshots, named("going"));
    expect(existsSync(stored(going))).toBe(false);
    await expect(machine.client.get(VolumeSnapshotContents, { name: going })).rejects.toSatisfy(isNotFound);

    const staying = (await snapshot("staying", "source")).status?.boundVolumeSnapshotContentName ?? "";
    const patch = { spec: { deletionPolicy: "Retain" as const } };
    await machine.client.patch(VolumeSnapshotContents, { name: staying }, { type: "merge", patch });
    await machine.client.delete(VolumeSnapshots, named("staying"));
    await machine.untilGone(VolumeSnapshots, named("staying"));
    expect(existsSync(stored(staying))).toBe(true);

    const spec = {
      deletionPolicy: "Delete" as const,
      driver: DRIVER,
      source: { snapshotHandle: staying },
      volumeSnapshotRef: { namespace, name: "imported" },
    };
    await machine.client.create(VolumeSnapshotContents, { metadata: { name: "imported" }, spec });
    await machine.client.create(VolumeSnapshots, {
      metadata: named("imported"),
      spec: { source: { volumeSnapshotContentName: "imported" } },
    });
    await machine.until(VolumeSnapshots, named("imported"), ({ status }) => status?.readyToUse);
    await machine.client.delete(VolumeSnapshots, named("imported"));
    await machine.untilGone(VolumeSnapshots, named("imported"));
    expect(existsSync(stored(staying))).toBe(false);
  });

  test("a snapshot of a claim that does not exist says so, and is taken when it does", async () => {
    const spec = { source: { persistentVolumeClaimName: "later" } };
    await machine.client.create(VolumeSnapshots, { metadata: named("early"), spec });
    const failed = await machine.until(VolumeSnapshots, named("early"), ({ status }) => status?.error);
    expect(failed.status).toMatchObject({
      readyToUse: false,
      error: { message: expect.stringContaining("later") },
    });
    await claim("later");
    const taken = await machine.until(VolumeSnapshots, named("early"), ({ status }) => status?.readyToUse);
    expect(taken.status).not.toHaveProperty("error");
  });

  test("a claim is a clone of the claim that it names", async () => {
    await claim("model");
    writeFileSync(join(await folderOf("model"), "file"), "same");
    await claim("clone", { dataSource: { kind: "PersistentVolumeClaim", name: "model" } });
    expect(readFileSync(join(await folderOf("clone"), "file"), "utf8")).toBe("same");
  });

  test("nothing unfinished is left", () => {
    const left = ["volumes", "snapshots"].flatMap((name) => readdirSync(join(machine.state, name)));
    expect(left.filter((name) => name.startsWith("."))).toEqual([]);
  });
});
