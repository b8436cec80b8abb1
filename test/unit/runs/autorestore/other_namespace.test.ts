import { expect, test } from "vitest";
import { ANNOTATIONS } from "../../../../src/kinds/autorestore/annotations.ts";
import { backupConfigResource } from "../../../../src/kinds/autorestore/generated/backup_config.ts";
import { resticRepositoryResource } from "../../../../src/kinds/autorestore/generated/restic_repository.ts";
import { Deployments, Namespaces, PersistentVolumeClaims } from "../../../../src/kube/builtin.ts";
import { AutorestoreWorld } from "./autorestore_world.ts";

const AWAY = "away";
const CONFIG = { namespace: "home", name: "cross" };

/** A new PVC of another namespace, whose workload waits at zero for a storage that does not answer yet. */
async function holding() {
  const away = { type: "fails", class: "Unreachable" } as const;
  const world = await new AutorestoreWorld({ askFates: [away, away] }).start();
  const { client } = world;
  await client.create(Namespaces, {
    metadata: { name: AWAY, annotations: { [ANNOTATIONS.allowedConfigs]: "home" } },
  });
  await world.create(resticRepositoryResource, "far", {
    repository: "s3:https://s3.example.org/bucket",
    passwordSecretRef: { name: "restic", key: "password" },
  });
  await world.create(backupConfigResource, CONFIG.name, {
    selectors: [{ namespaces: [AWAY] }],
    backupTargets: [{ name: "far", priority: 1, repository: { name: "far" } }],
    autoRestore: true,
  });
  world.keepSnapshot("data", AWAY);
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  await client.create(PersistentVolumeClaims, { metadata: { namespace: AWAY, name: "data" }, spec });
  await world.workload("Deployment", "web", { claims: ["data"], replicas: 2, namespace: AWAY });
  const replicas = async () =>
    (await client.get(Deployments, { namespace: AWAY, name: "web" })).spec?.replicas;
  await world.until("the repository was asked", async () =>
    (await world.restores).some(({ status }) => JSON.stringify(status ?? {}).includes("Unreachable")),
  );
  expect(await replicas()).toBe(0);
  return { world, replicas };
}

test.each([
  ["is deleted", (world: AutorestoreWorld) => world.client.delete(backupConfigResource, CONFIG)],
  [
    "does not select the PVC any more",
    (world: AutorestoreWorld) =>
      world.client.patch(backupConfigResource, CONFIG, {
        type: "merge",
        patch: { spec: { selectors: [{ namespaces: ["nowhere"], stopPods: true, waitForHealthy: false }] } },
      }),
  ],
])(
  "a restore goes on whose BackupConfig, in another namespace, %s",
  { timeout: 120_000 },
  async (_, change) => {
    const { world, replicas } = await holding();
    await using _world = world;
    await change(world);
    await world.until("the workload is back", async () => (await replicas()) === 2, 3000);
    const [restore] = await world.restores;
    expect(restore?.status).toMatchObject({ phase: "Completed", result: "Restored" });
  },
);
