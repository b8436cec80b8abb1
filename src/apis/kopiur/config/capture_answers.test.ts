import { expect, test } from "vitest";
import { PersistentVolumeClaims, PersistentVolumes } from "../../../kube/builtin.ts";
import type { ObjectName } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import type { KopiurPorts } from "../ports.ts";
import { config } from "../testing/samples.ts";
import { SimulatedCluster } from "../testing/simulated_cluster.ts";
import { CaptureAnswers } from "./capture_answers.ts";

test("the API server is asked again after an edit, of another volume, and once in a while", async () => {
  const clock = new VirtualClock("2026-05-22T00:00:00Z");
  const cluster = new SimulatedCluster(clock);
  const claims = cluster.cache({ resource: PersistentVolumeClaims });
  let asked = 0;
  const client = {
    get: (resource: Resource, name: ObjectName) => {
      asked += 1;
      return cluster.get(resource, name);
    },
  };
  const answers = new CaptureAnswers({ client, clock, caches: { claims } } as unknown as KopiurPorts);
  const sources = [{ pvc: "billing/data", sourcePath: "/pvc/data" }];
  const at = { namespace: "billing", name: "data" };
  let edit = 1;
  const look = async () => {
    const before = asked;
    const object = config({
      spec: { copyMethod: "Clone" },
      metadata: { generation: edit },
    });
    const { capture } = await answers.of(object, sources, new AbortController().signal);
    return [capture?.reason, asked - before] as const;
  };
  const bind = async (volumeName: string) => {
    await cluster.patch(PersistentVolumeClaims, at, {
      type: "merge",
      patch: { spec: { volumeName } } as never,
    });
    await clock.advance(0);
  };
  const csi = { driver: "disk", volumeHandle: "1" };
  await cluster.create(PersistentVolumes, { metadata: { name: "disk" }, spec: { csi } });
  await cluster.create(PersistentVolumes, {
    metadata: { name: "share" },
    spec: { nfs: { server: "nas", path: "/" } },
  });
  await cluster.create(PersistentVolumeClaims, { metadata: at, spec: {} });
  await bind("disk");
  expect(await look()).toEqual([undefined, 1]);
  expect(await look()).toEqual([undefined, 0]);
  edit += 1;
  expect(await look()).toEqual([undefined, 1]);
  await bind("share");
  expect(await look()).toEqual(["NotACsiVolume", 1]);
  expect(await look()).toEqual(["NotACsiVolume", 0]);
  await clock.advance(60_000);
  expect(await look()).toEqual(["NotACsiVolume", 1]);
  await bind("disk");
  expect(await look()).toEqual([undefined, 1]);
  await clock.advance(60_000);
  expect(await look()).toEqual([undefined, 0]);
  await clock.advance(600_000);
  expect(await look()).toEqual([undefined, 1]);
  answers.forget("billing/data" as never);
  expect(await look()).toEqual([undefined, 1]);
});
