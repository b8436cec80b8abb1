import { afterAll, beforeAll, expect, test } from "vitest";
import { backupOf, recipe } from "../../../src/cli/testing/cli_samples.ts";
import { type Backup, backupResource } from "../../../src/kinds/kopiur/generated/backup.ts";
import {
  type BackupConfig,
  backupConfigResource,
} from "../../../src/kinds/kopiur/generated/backup_config.ts";
import { restoreResource } from "../../../src/kinds/kopiur/generated/restore.ts";
import { Namespaces, PersistentVolumeClaims } from "../../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { CliGround } from "./cli_ground.ts";

/* A namespace with two volumes that were backed up, of which one is gone, and one that never was. */

const namespace = "home";
let ground: CliGround;

async function put<T extends Backup | BackupConfig>(resource: Resource<T>, object: T): Promise<void> {
  const { name } = object.metadata;
  await ground.client.create(resource, { metadata: { namespace, name }, spec: object.spec } as Draft<T>);
  const patch = { status: object.status } as never;
  await ground.client.patch(
    resource,
    { namespace, name },
    { type: "merge", patch },
    { subresource: "status" },
  );
}

beforeAll(async () => {
  ground = await CliGround.open();
  await ground.client.create(Namespaces, { metadata: { name: namespace } } as Draft<KubeObject>);
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  await ground.client.create(PersistentVolumeClaims, {
    metadata: { namespace, name: "data" },
    spec,
  } as Draft<KubeObject>);
  for (const of of ["data", "photos", "bare"]) await put(backupConfigResource, recipe(of));
  const at = { startTime: "2026-05-20T00:00:00Z", endTime: "2026-05-20T00:00:00Z" };
  for (const of of ["data", "photos"]) {
    const claim = { capacity: "3Gi", accessModes: ["ReadWriteMany"] };
    const sources = [{ pvc: `home/${of}`, sourcePath: `/${of}`, claim }];
    await put(backupResource, backupOf(of, `${of}-1`, { timing: at, resolved: { sources } }));
  }
}, 60_000);

afterAll(() => ground[Symbol.asyncDispose]());

test("the plans of all volumes are shown, and nothing is made", async () => {
  const { code, stdout, stderr } = await ground.run("restore --all -n home --dry-run");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("to    the claim home/data, in place");
  expect(stdout).toContain("first a backup of data is made, by config data");
  expect(stdout).toContain("to    a new claim home/photos of 3Gi, ReadWriteMany");
  expect(stdout).toContain("LEFT OUT  bare: there is no Backup of it that could be restored");
  expect((await ground.client.list(restoreResource, { namespace })).items).toEqual([]);
});

test("nothing happens before somebody says yes", async () => {
  expect(await ground.run("restore --all -n home")).toMatchObject({ code: 6 });
  expect((await ground.client.list(restoreResource, { namespace })).items).toEqual([]);
});

test("all of them begin", async () => {
  const { code, stdout } = await ground.run("restore --all -n home --no-backup-first --no-wait --yes");
  expect([code, stdout]).toEqual([0, "2 of 2 restores are begun\n"]);
  const { items } = await ground.client.list(restoreResource, { namespace });
  expect(items.map(({ spec }) => spec.target?.pvc?.name ?? spec.target?.pvcRef?.name).toSorted()).toEqual([
    "data",
    "photos",
  ]);
  expect(items.map(({ spec }) => spec.source.fromConfig?.name).toSorted()).toEqual(["data", "photos"]);
});

test("as of a time before all of them, there is nothing to restore", async () => {
  expect(await ground.run("restore --all -n home --as-of 2020-01-01T00:00:00Z --yes")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("there is nothing to restore in namespace home"),
  });
});
