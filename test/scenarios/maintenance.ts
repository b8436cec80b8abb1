import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { maintenanceResource } from "../../src/kinds/kopiur/generated/maintenance.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { brokenPromises } from "../../src/kinds/kopiur/testing/promised.ts";
import { isNotFound } from "../../src/kube/api_error.ts";
import type { Resource } from "../../src/kube/resource.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";
import { FILMS, HOUSEHOLD } from "./household.ts";
import { annotate, maintained, maintenanceOf, untilCondition } from "./maintenance_stage.ts";
import { EMBEDDED_ENGINES } from "./scenario_engines.ts";
import { Stage } from "./stage.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

/** Repositories are looked after: by one at a time, and what was deleted gives its space back. */
export function maintenance(open: OpenWorld): void {
  let world: ScenarioWorld;

  withWorld(open, (opened) => {
    world = opened;
  });

  describe.each(EMBEDDED_ENGINES)("with %s", (engine) => {
    test("what a deleted Backup took is given back, by the Maintenance that every repository has", {
      timeout: 300_000,
    }, async () => {
      await using stage = await Stage.enter(world, engine);
      const repository = await stage.repositoryOnVolume();
      await untilCondition(stage, repositoryResource, repository, "MaintenanceConfigured", "ByDefault");
      await stage.filledClaim("data", FILMS);
      await stage.recipe("data", repository);
      await stage.backup("first", "data");
      const full = await storedBytes(stage);
      expect(full).toBeGreaterThan(24_000_000);
      await stage.remove(backupResource, "first");

      const done = await maintained(stage, repository, "full-immediate 1");
      expect(done.status?.full?.lastContentReclaimedBytes).toBeGreaterThan(20_000_000);
      expect(await storedBytes(stage)).toBeLessThan(full - 20_000_000);
      expect(done.status).toMatchObject({
        phase: "Ready",
        ownership: { owner: "kopiur/repository" },
        full: { consecutiveFailures: 0 },
        lastCheck: { healthy: true },
      });
      await untilCondition(stage, repositoryResource, repository, "MaintenanceOwned", undefined, "True");
    });

    test("a read-only repository is restored from, and is neither written nor maintained", {
      timeout: 300_000,
    }, async () => {
      await using stage = await Stage.enter(world, engine);
      const { namespace } = stage;
      const repository = await stage.repositoryOnVolume();
      await stage.filledClaim("data", HOUSEHOLD);
      const wanted = await stage.describe("data");
      await stage.recipe("data", repository);
      await stage.backup("first", "data");
      const patch = { spec: { access: { readOnly: true }, create: { enabled: false } } };
      const place = { namespace, name: repository };
      await world.client.patch(repositoryResource, place, { type: "merge", patch });
      const reason = "RepositoryReadOnly";
      await untilCondition(stage, repositoryResource, repository, "MaintenanceConfigured", reason, "False");
      await stage.gone(maintenanceResource, repository);
      await untilCondition(stage, backupConfigResource, "data", "Ready", reason, "False");
      const before = await storedFiles(stage);
      await stage.beginBackup("second", "data");
      await untilCondition(stage, backupResource, "second", "Ready", reason, "False");
      await stage.restore("again", { fromConfig: { name: "data" } }, "restored");
      expect(treeDifferences(wanted, await stage.describe("restored"))).toEqual([]);
      expect(await storedFiles(stage)).toEqual(before);
    });

    test("backups of before, beside and after maintenance are whole, and neither meets the other's locks", {
      timeout: 300_000,
    }, async () => {
      await using stage = await Stage.enter(world, engine);
      const repository = await stage.repositoryOnVolume();
      await stage.filledClaim("data", FILMS);
      await stage.recipe("data", repository);
      await stage.backup("stays", "data");
      await maintained(stage, repository, "quick 1");
      const [upkeep, beside] = await Promise.all([
        maintained(stage, repository, "full-immediate 2"),
        stage.backup("beside", "data"),
      ]);
      const failures = [upkeep, beside].flatMap(({ status }) => Object.values(status?.work ?? {}));
      expect(failures).not.toContainEqual(expect.objectContaining({ lastFailure: expect.anything() }));
      await stage.backup("next", "data");
      const wanted = await stage.describe("data");
      for (const name of ["stays", "beside"]) {
        await stage.restore(name, { backupRef: { name } }, `from-${name}`);
        expect(treeDifferences(wanted, await stage.describe(`from-${name}`))).toEqual([]);
      }
      expect(await broken(stage, repository)).toEqual([]);
      await expectTrueValues(stage, repository, engine);
    });
  });

  test("one that somebody writes takes the place of the one by default; a second one is refused", {
    timeout: 180_000,
  }, async () => {
    await using stage = await Stage.enter(world, "kopia");
    const repository = await stage.repositoryOnVolume();
    await untilCondition(stage, repositoryResource, repository, "MaintenanceConfigured", "ByDefault");
    await maintenanceOf(stage, "mine");
    await stage.gone(maintenanceResource, repository);
    const { status } = await untilCondition(
      stage,
      repositoryResource,
      repository,
      "MaintenanceConfigured",
      "Configured",
    );
    expect(status?.maintenanceRef).toEqual({ name: "mine", namespace: stage.namespace });
    await untilCondition(stage, maintenanceResource, "mine", "Ready", "Scheduled");
    await maintenanceOf(stage, "second");
    await untilCondition(stage, maintenanceResource, "second", "Stalled", "SecondMaintenance");
    await stage.remove(maintenanceResource, "mine");
    await untilCondition(stage, maintenanceResource, "second", "Ready", "Scheduled");
    await stage.remove(maintenanceResource, "second");
    await untilCondition(
      stage,
      repositoryResource,
      repository,
      "MaintenanceConfigured",
      "MaintenanceNotConfigured",
    );
    await expect(
      world.client.get(maintenanceResource, { namespace: stage.namespace, name: repository }),
    ).rejects.toSatisfy(isNotFound);
  });

  test("whoever maintains a repository keeps it until somebody takes over knowingly", {
    timeout: 300_000,
  }, async () => {
    await using stage = await Stage.enter(world, "kopia");
    await stage.repositoryOnVolume();
    const times = { quick: { cron: "0 0 1 1 *" }, full: { cron: "0 0 1 1 *" } };
    await maintenanceOf(stage, "first", { ownership: { owner: "cluster-a" }, schedule: times });
    await maintained(stage, "first", "quick 1");
    await stage.remove(maintenanceResource, "first");

    await maintenanceOf(stage, "next", { ownership: { owner: "cluster-b" }, schedule: times });
    await annotate(stage, "next", { [ANNOTATIONS.runRequested]: "quick 1" });
    const asked = await untilCondition(stage, maintenanceResource, "next", "Stalled", "OwnedByAnother");
    expect(asked.status).toMatchObject({ phase: "Pending", ownership: { owner: "cluster-a" } });

    await annotate(stage, "next", { [ANNOTATIONS.acknowledgeTakeover]: "somebody-else" });
    await annotate(stage, "next", { [ANNOTATIONS.acknowledgeTakeover]: "cluster-a" });
    const { status } = await untilCondition(
      stage,
      maintenanceResource,
      "next",
      "OwnershipClaimed",
      "Claimed",
    );
    expect(status?.ownership?.owner).toBe("cluster-b");
    await stage.remove(maintenanceResource, "next");

    await maintenanceOf(stage, "forced", {
      ownership: { owner: "cluster-c", takeoverPolicy: "Force" },
      schedule: times,
    });
    expect((await maintained(stage, "forced", "quick 1")).status?.ownership?.owner).toBe("cluster-c");
    await stage.remove(maintenanceResource, "forced");

    await maintenanceOf(stage, "never", {
      ownership: { owner: "cluster-d", takeoverPolicy: "Never" },
      schedule: times,
    });
    await annotate(stage, "never", {
      [ANNOTATIONS.runRequested]: "quick 1",
      [ANNOTATIONS.acknowledgeTakeover]: "cluster-c",
    });
    await untilCondition(stage, maintenanceResource, "never", "Ready", "OwnedByAnother");
  });
}

/** What the repository takes on its volume. */
async function storedBytes(stage: Stage): Promise<number> {
  return [...(await storedFiles(stage)).values()].reduce((sum, size) => sum + size, 0);
}

/** The files of the repository, with their sizes. */
async function storedFiles(stage: Stage): Promise<ReadonlyMap<string, number>> {
  const folder = await stage.world.folderOf({ namespace: stage.namespace, name: "repository" });
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(files.map(async (file) => [file, (await stat(file)).size] as const)));
}

/** What the statuses of all that was done do not say, though the API promises it. */
async function broken(stage: Stage, repository: string): Promise<readonly string[]> {
  const { namespace, world } = stage;
  const looked = async (resource: Resource, name: string, except: readonly string[] = []) => {
    const object = (await world.client.get(resource, { namespace, name })) as { readonly status?: object };
    return brokenPromises(resource.kind, object.status, except).map((path) => `${resource.kind} ${path}`);
  };
  const found = await Promise.all([
    // The catalogue is looked at in its own time, and there are no snapshots of volumes, hooks or failures here.
    looked(repositoryResource, repository, ["catalog", "storageStats"]),
    looked(backupConfigResource, "data", ["retention", "conditions.GroupSnapshotSupported"]),
    looked(backupResource, "next", ["failure", "orphaned", "conditions.SourcesQuiesced"]),
    looked(restoreResource, "stays", ["target.pvcPrime"]),
    looked(maintenanceResource, repository),
  ]);
  return found.flat();
}

/** What the statuses say of the films that were backed up, restored and looked after, where that is known. */
async function expectTrueValues(
  { namespace, world: { client } }: Stage,
  repository: string,
  engine: EngineName,
): Promise<void> {
  // restic counts the folder that they are in as a file that was restored.
  const filesRestored = FILMS.length + (engine === "restic" ? 1 : 0);
  const bytes = FILMS.length * 1_000_000;
  const at = (name: string) => ({ namespace, name });
  const [stays, next, restored, upkeep] = await Promise.all([
    client.get(backupResource, at("stays")),
    client.get(backupResource, at("next")),
    client.get(restoreResource, at("stays")),
    client.get(maintenanceResource, at(repository)),
  ]);
  const identity = { hostname: namespace, sourcePath: "/pvc/data" };
  const place = { kind: "Repository", name: repository, namespace };
  const source = { pvc: `${namespace}/data`, sourcePath: "/pvc/data" };
  for (const { status } of [stays, next])
    expect(status).toMatchObject({
      phase: "Succeeded",
      origin: "manual",
      snapshot: { identity },
      snapshots: [{ kopiaSnapshotID: status?.snapshot?.kopiaSnapshotID, identity }],
      stats: { sizeBytes: bytes },
      job: { attempts: 1 },
      resolved: { repository: place, sources: [source] },
    });
  expect(next.status?.stats).toMatchObject({ filesNew: 0, filesModified: 0, filesUnchanged: FILMS.length });
  expect(next.status?.stats?.bytesNew).toBeLessThan(bytes / 10);
  expect(next.status?.snapshot?.kopiaSnapshotID).not.toBe(stays.status?.snapshot?.kopiaSnapshotID);
  expect(restored.status).toMatchObject({
    phase: "Completed",
    resolved: {
      backupRef: { name: "stays", namespace },
      repository: place,
      identity,
      snapshotID: stays.status?.snapshot?.kopiaSnapshotID,
    },
    target: { pvcRef: { name: "from-stays" } },
    progress: { bytesRestored: bytes, filesRestored },
  });
  expect(upkeep.status).toMatchObject({
    ownership: { owner: `kopiur/${repository}` },
    quick: { consecutiveFailures: 0 },
    full: { consecutiveFailures: 0 },
  });
}
