import { rename } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { type Repository, repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { type Restore, restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { PersistentVolumeClaims, Secrets } from "../../src/kube/builtin.ts";
import type { Resource } from "../../src/kube/resource.ts";
import type { ErrorClass } from "../../src/wire/error_classes.ts";
import { Moments } from "./faults_moments.ts";
import {
  edit,
  followedRestore,
  makeRepository,
  moverOf,
  nothingIsLeft,
  repositoryIsSound,
} from "./faults_stage.ts";
import { HOUSEHOLD } from "./household.ts";
import { untilCondition } from "./maintenance_stage.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

/** The repository is not what it was, or its password is not; and then it is again. */
export function changedRepositories(world: () => ScenarioWorld): void {
  describe.each(new Moments(5).engines())("with %s, a repository", (engine) => {
    test("that cannot be opened is never taken for an empty one", { timeout: 900_000 }, async () => {
      await using stage = await Stage.enter(world(), engine);
      await stage.claim("repository");
      await wrongFromTheStart(stage);
      await stage.filledClaim("data", HOUSEHOLD);
      const wanted = await stage.describe("data");
      await stage.recipe("data", "repository");
      const backups: Backup[] = [await secretComesLate(stage, "first")];

      await setPassword(stage, "another");
      await stage.beginBackup("changed", "data");
      expect(await failed(stage, "changed", "WrongPassword", "terminal")).toMatchObject({ phase: "Failed" });
      await setPassword(stage, stage.password);
      backups.push(await again(stage, "changed"));

      const folder = await world().folderOf({ namespace: stage.namespace, name: "repository" });
      await rename(`${folder}/backups`, `${folder}/elsewhere`);
      await stage.beginBackup("gone", "data");
      expect(await failed(stage, "gone", "NotARepository", "terminal")).toMatchObject({ phase: "Failed" });
      await stage.beginRestore("back", { backupRef: { name: "first" } }, "back");
      await stage.eventually("the Restore waits for the repository", async () => {
        const { namespace } = stage;
        const { status } = await world().client.get(restoreResource, { namespace, name: "back" });
        const ready = status?.conditions?.find(({ type }) => type === "Ready");
        const waits = ready?.reason === "RepositoryNotReady";
        return { done: waits && ready.message.includes("there is no repository"), value: status };
      });
      await rename(`${folder}/elsewhere`, `${folder}/backups`);
      backups.push(await again(stage, "gone"));
      expect((await followedRestore(stage, "back")).object.status).toMatchObject({ phase: "Completed" });
      expect(treeDifferences(wanted, await stage.describe("back"))).toEqual([]);

      await rename(`${folder}/backups`, `${folder}/elsewhere`);
      await makeRepository(stage, `${folder}/backups`, stage.password);
      await stage.beginBackup("replaced", "data");
      expect(await failed(stage, "replaced", "RepositoryReplaced", "terminal")).toMatchObject({
        phase: "Failed",
      });
      await rename(`${folder}/backups`, `${folder}/another`);
      await rename(`${folder}/elsewhere`, `${folder}/backups`);
      backups.push(await again(stage, "replaced"));

      await stage.filledClaim("fleeting", HOUSEHOLD);
      const others = { last: await stage.describe("fleeting") };
      backups.push(await sourceDeletedMeanwhile(stage));
      await repositoryIsSound(stage, backups, wanted, others);
      await nothingIsLeft(stage);
    });
  });
}

/** The repository exists, with another password than the Secret's. */
async function wrongFromTheStart(stage: Stage): Promise<void> {
  const { world, namespace } = stage;
  const folder = await world.folderOf({ namespace, name: "repository" });
  await makeRepository(stage, `${folder}/backups`, stage.password);
  stage.folder = "backups";
  await stage.beginRepository({ filesystem: { pvc: { name: "repository" }, path: "/backups" } }, "a guess");
  const { status } = await stage.until(repositoryResource, "repository", "Failed", ["Ready"]);
  expect(status).toMatchObject({
    failure: { errorClass: "WrongPassword", remedy: expect.stringContaining("password") },
    conditions: expect.arrayContaining([
      expect.objectContaining({ type: "Connected", status: "False", reason: "WrongPassword" }),
    ]),
  });
  expect(status?.uniqueID).toBeUndefined();
  await setPassword(stage, stage.password);
  const spec: Partial<Repository["spec"]> = { create: { enabled: false } };
  await world.client.patch(
    repositoryResource,
    { namespace, name: "repository" },
    { type: "merge", patch: { spec } },
  );
  await stage.until(repositoryResource, "repository", "Ready");
}

/** The Secret is missing when the mover's pod is there, and the Backup goes on once it is back. */
async function secretComesLate(stage: Stage, name: string): Promise<Backup> {
  const { world, namespace, password } = stage;
  const metadata = { namespace, name: "repository" };
  await world.client.delete(Secrets, metadata);
  await stage.beginBackup(name, "data");
  await untilCondition(stage, backupResource, name, "Ready", "SecretMissing");
  await world.client.create(Secrets, { metadata, stringData: { KOPIA_PASSWORD: password } });
  return stage.until(backupResource, name, "Succeeded", ["Failed"]);
}

async function setPassword({ world, namespace }: Stage, password: string): Promise<void> {
  const patch = { stringData: { KOPIA_PASSWORD: password } };
  await world.client.patch(Secrets, { namespace, name: "repository" }, { type: "merge", patch });
}

async function failed(stage: Stage, name: string, errorClass: ErrorClass, retry: string) {
  const status = await toldFailure(stage, backupResource, name);
  expect(status).toMatchObject({ failure: { errorClass, retry } });
  expect(status.snapshots).toBeUndefined();
  return status;
}

/** The status, once it tells a failure. */
async function toldFailure<T extends Backup | Restore>(
  stage: Stage,
  resource: Resource<T>,
  name: string,
): Promise<NonNullable<T["status"]>> {
  return stage.eventually(`the failure of ${name} is told`, async () => {
    const { status } = await stage.world.client.get(resource, { namespace: stage.namespace, name });
    return { done: status?.failure !== undefined, value: status ?? {} };
  });
}

async function again(stage: Stage, name: string): Promise<Backup> {
  const annotations = { [ANNOTATIONS.retryRequested]: name };
  await stage.world.client.patch(
    repositoryResource,
    { namespace: stage.namespace, name: "repository" },
    { type: "merge", patch: { metadata: { annotations } } },
  );
  await edit(stage, backupResource, name);
  return stage.eventually(`${name} has succeeded`, async () => {
    const value = await stage.world.client.get(backupResource, { namespace: stage.namespace, name });
    return { done: value.status?.phase === "Succeeded", value };
  });
}

/** A claim that a mover reads is kept until the mover is done with it. */
async function sourceDeletedMeanwhile(stage: Stage): Promise<Backup> {
  const { world, namespace } = stage;
  await stage.recipe("fleeting", "repository");
  await stage.beginBackup("last", "fleeting");
  await moverOf(stage, backupResource, "last", "snapshot");
  await world.client.delete(PersistentVolumeClaims, { namespace, name: "fleeting" });
  const backup = await stage.until(backupResource, "last", "Succeeded", ["Failed"]);
  await stage.gone(PersistentVolumeClaims, "fleeting");
  await stage.beginBackup("late", "fleeting");
  const { status } = await stage.eventually("the missing claim is told", async () => {
    const value = await world.client.get(backupResource, { namespace, name: "late" });
    const ready = value.status?.conditions?.find(({ type }) => type === "Ready");
    return { done: ready?.reason === "SourceNotFound", value };
  });
  expect(status).toMatchObject({ phase: "Pending" });
  expect(status?.job).toBeUndefined();
  return backup;
}
