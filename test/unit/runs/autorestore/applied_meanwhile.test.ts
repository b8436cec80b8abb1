import { expect, test } from "vitest";
import { moverContainer } from "../../../../src/core/work/mover_container.ts";
import { Deployments, type Pod, Pods } from "../../../../src/kube/builtin.ts";
import type { Draft } from "../../../../src/kube/object.ts";
import { APP_IMAGE, MOVER_IMAGE } from "../fake_node.ts";
import { AutorestoreWorld } from "./autorestore_world.ts";

test("a workload that is applied while its volume is restored has no pods before the data is in it", {
  timeout: 120_000,
}, async () => {
  await using world = await new AutorestoreWorld({ restoreFates: [{ type: "goesOn" }] }).start();
  world.keepSnapshot("data");
  await world.claim("data");
  const writing = async () =>
    (await world.all(Pods)).find(
      (pod) =>
        pod.spec?.containers[0]?.image === MOVER_IMAGE &&
        pod.spec.volumes?.some((one) => one.persistentVolumeClaim?.claimName === "data") &&
        moverContainer(pod).type === "running",
    );
  await world.until("the data is written", async () => (await writing()) !== undefined);
  await world.workload("Deployment", "web", { claims: ["data"], replicas: 2 });
  await world.turns(20);
  const pod = await writing();
  expect(pod).toBeDefined();
  if (pod) await world.node.finish(pod);
  const web = { namespace: "home", name: "web" };
  await world.until("the workload is back", async () => {
    const [restore] = await world.restores;
    const { spec } = await world.client.get(Deployments, web);
    return restore?.status?.phase === "Completed" && spec?.replicas === 2;
  });
  expect([...world.clashes], "pods that ran while their volume was written").toEqual([]);
});

test("a pod that nothing scales keeps no other workload from being held", { timeout: 120_000 }, async () => {
  await using world = await new AutorestoreWorld().start();
  world.keepSnapshot("data");
  await world.claim("data");
  const lone = { namespace: "home", name: "lone" };
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  const spec = { containers: [{ name: "app", image: APP_IMAGE }], volumes };
  await world.client.create(Pods, { metadata: lone, spec } as Draft<Pod>);
  await world.workload("Deployment", "web", { claims: ["data"], replicas: 2 });
  const replicas = async () =>
    (await world.client.get(Deployments, { namespace: "home", name: "web" })).spec?.replicas;
  await world.until("the workload is held", async () => (await replicas()) === 0);
  await world.turns(60);
  expect(await replicas()).toBe(0);
  const [waiting] = await world.restores;
  const ready = waiting?.status?.conditions?.find(({ type }) => type === "Ready");
  expect(ready).toMatchObject({
    reason: "CannotScaleDown",
    message: expect.stringMatching(/pod home\/lone.* To start them without the data/),
  });
  await world.client.delete(Pods, lone);
  await world.until("the workload is back", async () => (await replicas()) === 2);
  expect((await world.restores)[0]?.status?.result).toBe("Restored");
  expect([...world.clashes]).toEqual([]);
});
