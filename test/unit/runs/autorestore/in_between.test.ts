import { expect, test } from "vitest";
import { backupConfigResource } from "../../../../src/kinds/autorestore/generated/backup_config.ts";
import { LABELS } from "../../../../src/kinds/autorestore/labels.ts";
import { Deployments, PersistentVolumeClaims } from "../../../../src/kube/builtin.ts";
import { AutorestoreWorld, type AutorestoreWorldOptions } from "./autorestore_world.ts";

/** A new PVC with a snapshot, and its workload, which is held. */
async function holding(options: AutorestoreWorldOptions = {}) {
  const world = await new AutorestoreWorld(options).start();
  world.keepSnapshot("data");
  await world.claim("data");
  await world.workload("Deployment", "web", { claims: ["data"], replicas: 2 });
  const replicas = async () => {
    const { spec } = await world.client.get(Deployments, { namespace: "home", name: "web" });
    return spec?.replicas;
  };
  await world.until("the workload is held", async () => (await replicas()) === 0);
  return { world, replicas };
}

test("a BackupConfig that is deleted in the middle of a restore gives the PVC back, and the restore goes on", {
  timeout: 120_000,
}, async () => {
  const { world, replicas } = await holding();
  await using _ = world;
  await world.client.delete(backupConfigResource, { namespace: "home", name: "all" });
  await world.until("the workload is back", async () => (await replicas()) === 2);
  const [restore] = await world.restores;
  expect(restore?.status).toMatchObject({ phase: "Completed", result: "Restored" });
  expect(await world.all(backupConfigResource)).toEqual([]);
  const data = await world.client.get(PersistentVolumeClaims, { namespace: "home", name: "data" });
  expect(data.metadata.labels ?? {}).not.toHaveProperty([LABELS.managedBy]);
});

test("a target that does not answer keeps the workload waiting, and is not passed over for the next one", {
  timeout: 120_000,
}, async () => {
  const away = { type: "fails", class: "Unreachable" } as const;
  const { world, replicas } = await holding({ askFates: [away, away, away] });
  await using _ = world;
  await world.turns(60);
  const [waiting] = await world.restores;
  expect(waiting?.status?.phase).toBe("Pending");
  const ready = waiting?.status?.conditions?.find(({ type }) => type === "Ready");
  expect(ready).toMatchObject({
    reason: "Unreachable",
    message: expect.stringMatching(/To start them without the data, delete this ResticRestore\.$/),
  });
  expect(await replicas()).toBe(0);
  await world.until("the workload is back", async () => (await replicas()) === 2, 3000);
  const [restore] = await world.restores;
  const state = { resolved: { repository: { name: "nas" } } };
  expect(restore?.status).toMatchObject({ result: "Restored", state });
  expect([...world.clashes]).toEqual([]);
});

test("a restore that has failed before it wrote holds its workload no longer", {
  timeout: 120_000,
}, async () => {
  const { world, replicas } = await holding({ askFates: [{ type: "fails", class: "InvalidOption" }] });
  await using _ = world;
  await world.until("it has failed, and the workload is back", async () => {
    const [restore] = await world.restores;
    return restore?.status?.phase === "Failed" && (await replicas()) === 2;
  });
  for (let minute = 0; minute < 3; minute++) {
    await world.turns(60);
    expect(await replicas()).toBe(2);
  }
  const [restore] = await world.restores;
  expect(restore?.status?.phase).toBe("Failed");
});

test("a storage that goes away while a volume is filled is waited for, with the workload at zero", {
  timeout: 120_000,
}, async () => {
  const away = Array(6).fill({ type: "fails", class: "Unreachable" } as const);
  const { world, replicas } = await holding({ restoreFates: away });
  await using _ = world;
  for (let minute = 0; minute < 8; minute++) {
    await world.turns(60);
    expect(await replicas()).toBe(0);
  }
  await world.until("the workload is back", async () => (await replicas()) === 2, 6000);
  expect((await world.restores)[0]?.status?.result).toBe("Restored");
});
