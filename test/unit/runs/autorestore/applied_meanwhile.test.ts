import { expect, test } from "vitest";
import { moverContainer } from "../../../../src/core/work/mover_container.ts";
import { Deployments, Pods } from "../../../../src/kube/builtin.ts";
import { MOVER_IMAGE } from "../fake_node.ts";
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
