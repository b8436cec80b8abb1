import { expect, test } from "vitest";
import { Deployments, PersistentVolumeClaims } from "../../../../src/kube/builtin.ts";
import { AutorestoreWorld, type AutorestoreWorldOptions } from "./autorestore_world.ts";

const AWAY = Array(4).fill({ type: "fails", class: "Unreachable" } as const);

test.each<[string, AutorestoreWorldOptions, number]>([
  ["has begun", {}, 0],
  ["has reached its repository", { askFates: AWAY }, 20],
])(
  "a PVC that is deleted before its restore %s takes that with it, and its workload comes back",
  {
    timeout: 120_000,
  },
  async (_, options, seconds) => {
    await using world = await new AutorestoreWorld(options).start();
    world.keepSnapshot("data");
    await world.claim("data");
    await world.workload("Deployment", "web", { claims: ["data"], replicas: 2 });
    const replicas = async () => {
      const { spec } = await world.client.get(Deployments, { namespace: "home", name: "web" });
      return spec?.replicas;
    };
    await world.until("the workload is held", async () => (await replicas()) === 0);
    await world.turns(seconds);
    const data = { namespace: "home", name: "data" };
    await world.client.delete(PersistentVolumeClaims, data);
    await world.until("it is back", async () => (await replicas()) === 2);
    await world.turns(60);
    expect(await replicas()).toBe(2);
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
  },
);
