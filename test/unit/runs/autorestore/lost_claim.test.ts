import { expect, test } from "vitest";
import { Deployments, PersistentVolumeClaims } from "../../../../src/kube/builtin.ts";
import { AutorestoreWorld } from "./autorestore_world.ts";

test("a PVC that is deleted before its restore has begun takes that with it, and its workload comes back", {
  timeout: 120_000,
}, async () => {
  await using world = await new AutorestoreWorld().start();
  world.keepSnapshot("data");
  await world.claim("data");
  await world.workload("Deployment", "web", { claims: ["data"], replicas: 2 });
  const replicas = async () => {
    const { spec } = await world.client.get(Deployments, { namespace: "home", name: "web" });
    return spec?.replicas;
  };
  await world.until("the workload is held", async () => (await replicas()) === 0);
  const data = { namespace: "home", name: "data" };
  await world.client.delete(PersistentVolumeClaims, data);
  await world.until("it is back", async () => (await replicas()) === 2);
  const [restore] = await world.restores;
  expect(restore?.status).toMatchObject({ phase: "Failed" });
  expect(restore?.status?.error).toMatch(
    /^PersistentVolumeClaim data was deleted before the data was written/,
  );
  const patch = { metadata: { finalizers: [] } };
  await world.client.patch(PersistentVolumeClaims, data, { type: "merge", patch });
  // The next one of its name is another one.
  await world.claim("data");
  await world.until("that is restored", async () =>
    (await world.restores).some(({ status }) => status?.result === "Restored"),
  );
  expect([...world.clashes]).toEqual([]);
});
