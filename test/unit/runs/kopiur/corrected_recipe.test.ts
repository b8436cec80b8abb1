import { expect, test } from "vitest";
import type { Backup } from "../../../../src/kinds/kopiur/generated/backup.ts";
import {
  type BackupConfig,
  backupConfigResource,
} from "../../../../src/kinds/kopiur/generated/backup_config.ts";
import { PersistentVolumeClaims, PersistentVolumes } from "../../../../src/kube/builtin.ts";
import type { Patch } from "../../../../src/kube/client.ts";
import { KopiurWorld, NAMESPACE } from "./kopiur_world.ts";

const TIMEOUT = { timeout: 60_000 };
const DATA = { namespace: NAMESPACE, name: "data" };

/** A world in which the claim of a Backup turns out to have a volume of no CSI driver, and the Backup is refused for that. */
async function refused(): Promise<KopiurWorld> {
  const world = await new KopiurWorld({ copyMethod: "Snapshot" }).start();
  await world.client.delete(PersistentVolumeClaims, DATA);
  await world.storage.tick();
  const accessModes = ["ReadWriteMany"];
  const storage = "1Gi";
  await world.client.create(PersistentVolumeClaims, {
    metadata: DATA,
    spec: { volumeName: "share", storageClassName: "", accessModes, resources: { requests: { storage } } },
  });
  await world.backup("one");
  await world.until(
    "it waits for the volume",
    async () => reasonOf(await one(world)) === "SourceNotBound",
    20,
  );
  await world.client.create(PersistentVolumes, {
    metadata: { name: "share" },
    spec: { capacity: { storage }, accessModes, nfs: { server: "nas", path: "/" }, claimRef: DATA },
  });
  await world.storage.tick();
  await world.until("it is refused", async () => reasonOf(await one(world)) === "NotACsiVolume", 100);
  return world;
}

async function one(world: KopiurWorld): Promise<Backup | undefined> {
  return (await world.backups())[0];
}

function reasonOf(backup: Backup | undefined): string | undefined {
  return backup?.status?.conditions?.find(({ type }) => type === "Ready")?.reason;
}

async function correct(world: KopiurWorld, spec: object): Promise<void> {
  const patch = { type: "merge", patch: { spec } } as unknown as Patch<BackupConfig>;
  await world.client.patch(backupConfigResource, DATA, patch);
}

test("a Backup that was refused goes by its recipe as soon as that is corrected", TIMEOUT, async () => {
  await using world = await refused();
  expect((await one(world))?.status?.resolved?.copyMethod).toBe("Snapshot");
  await correct(world, { copyMethod: "Direct" });
  const succeeded = async () => (await one(world))?.status?.phase === "Succeeded";
  await world.until("it has succeeded", succeeded, 60);
  expect((await one(world))?.status?.resolved?.copyMethod).toBe("Direct");
  expect(world.repository.snapshots).toHaveLength(1);
});

test("a recipe that is edited once a mover has run changes nothing for that Backup", TIMEOUT, async () => {
  await using world = await new KopiurWorld({ fates: [{ type: "fails", class: "Locked" }] }).start();
  await world.backup("one");
  await world.until("it failed once", async () => reasonOf(await one(world)) === "Locked", 200);
  await correct(world, { copyMethod: "Clone" });
  await world.until("it has succeeded", async () => (await one(world))?.status?.phase === "Succeeded", 300);
  expect((await one(world))?.status?.resolved?.copyMethod).toBe("Direct");
});

test(
  "a Backup that failed before anything began takes the claim that is there when it is edited",
  TIMEOUT,
  async () => {
    await using world = await refused();
    await world.client.delete(PersistentVolumeClaims, DATA);
    await world.storage.tick();
    await world.storage.claim(DATA.namespace, DATA.name);
    const phaseIn = async () => (await one(world))?.status?.phase;
    await world.until("it has failed", async () => (await phaseIn()) === "Failed", 500);
    expect(reasonOf(await one(world))).toBe("SourceReplaced");
    await world.turns(30);
    expect(await phaseIn()).toBe("Failed");
    await world.annotate("one", { "kopiur.home-operations.com/again": "1" });
    await world.until("it has succeeded", async () => (await phaseIn()) === "Succeeded", 60);
    expect(world.repository.snapshots).toHaveLength(1);
  },
);
