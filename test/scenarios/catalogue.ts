import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { buildTree, treeDifferences } from "../../src/engines/testing/tree.ts";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { Namespaces, Secrets } from "../../src/kube/builtin.ts";
import { foundBackups, refreshed } from "./catalogue_stage.ts";
import { EngineByHand } from "./engine_by_hand.ts";
import { HOUSEHOLD } from "./household.ts";
import { SCENARIO_ENGINES } from "./scenario_engines.ts";
import { Stage } from "./stage.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

/** What is in a repository shows in the cluster, whoever put it there and whatever the cluster has lost. */
export function catalogue(open: OpenWorld): void {
  let world: ScenarioWorld;

  withWorld(open, (opened) => {
    world = opened;
  });

  describe.each(SCENARIO_ENGINES)("with %s", (engine) => {
    test("snapshots are found again after the loss of all objects, always under the same names", {
      timeout: 300_000,
    }, async () => {
      await using stage = await Stage.enter(world, engine);
      await twoBackups(stage, await stage.repositoryOnVolume());
      const wanted = await stage.describe("data");
      for (const name of ["first", "second"]) await stage.remove(backupResource, name);
      await stage.remove(backupConfigResource, "data");
      const forget = async () => {
        // It lies on a PVC, with snapshots.
        const place = { namespace: stage.namespace, name: "repository" };
        const meant = { metadata: { annotations: { [ANNOTATIONS.acknowledgeRemoval]: "true" } } };
        await world.client.patch(repositoryResource, place, { type: "merge", patch: meant });
        await stage.remove(repositoryResource, "repository");
        await world.client.delete(Secrets, { namespace: stage.namespace, name: "repository" });
      };
      await forget();

      await stage.repositoryOnClaim();
      const found = await foundBackups(stage, 2);
      expect(found.map(({ status }) => status)).toEqual([
        expect.objectContaining({ phase: "Discovered", origin: "discovered" }),
        expect.objectContaining({ phase: "Discovered", origin: "discovered" }),
      ]);
      expect(found.map(({ spec }) => spec.deletionPolicy)).toEqual(["Retain", "Retain"]);
      expect(found[0]?.status?.snapshot).toMatchObject({
        identity: { username: "data", hostname: stage.namespace, sourcePath: "/pvc/data" },
        fidelity: "Full",
      });

      const [newest] = found;
      const restore = await stage.restore(
        "again",
        { backupRef: { name: newest?.metadata.name ?? "" } },
        "restored",
      );
      expect(restore.status?.losses).toBeUndefined();
      expect(treeDifferences(wanted, await stage.describe("restored"))).toEqual([]);

      for (const { metadata } of found) await stage.remove(backupResource, metadata.name);
      await forget();
      await stage.repositoryOnClaim();
      expect((await foundBackups(stage, 2)).map(({ metadata }) => metadata.name)).toEqual(
        found.map(({ metadata }) => metadata.name),
      );
    });

    test("snapshots are found again after the loss of the whole namespace", {
      timeout: 300_000,
    }, async ({ skip }) => {
      if (!world.s3) skip("this world has no S3 server");
      await using stage = await Stage.enter(world, engine);
      await twoBackups(stage, await stage.repositoryInS3());
      const wanted = await stage.describe("data");
      await world.client.delete(Namespaces, { name: stage.namespace });
      await stage.gone(Namespaces, stage.namespace);
      const annotations = { [ANNOTATIONS.allowPrivilegedMovers]: "true" };
      await world.client.create(Namespaces, { metadata: { name: stage.namespace, annotations } });
      await stage.repositoryInS3();
      const [newest] = await foundBackups(stage, 2);
      await stage.restore("again", { backupRef: { name: newest?.metadata.name ?? "" } }, "restored");
      expect(treeDifferences(wanted, await stage.describe("restored"))).toEqual([]);
    });

    test("two Repositories on one storage show each other's snapshots, and keep none from being deleted", {
      timeout: 300_000,
    }, async () => {
      await using stage = await Stage.enter(world, engine);
      const { namespace } = stage;
      await stage.filledClaim("data", HOUSEHOLD);
      await stage.recipe("data", await stage.repositoryOnVolume());
      const { status } = await stage.backup("first", "data");
      const { spec } = await world.client.get(repositoryResource, { namespace, name: "repository" });
      await world.client.create(repositoryResource, { metadata: { namespace, name: "other" }, spec });
      const [found] = await foundBackups(stage, 1);
      expect(found?.status).toMatchObject({
        snapshot: { kopiaSnapshotID: status?.snapshot?.kopiaSnapshotID },
        resolved: { repository: { name: "other", uniqueID: status?.resolved?.repository?.uniqueID } },
      });
      await stage.remove(backupResource, "first");
      expect((await refreshed(stage, "after")).storageStats?.snapshotCount).toBe(0);
    });

    test("a snapshot that somebody deletes behind the operator's back is missed, and nothing else", {
      timeout: 300_000,
    }, async () => {
      await using stage = await Stage.enter(world, engine);
      await twoBackups(stage, await stage.repositoryOnVolume());
      const { namespace, password } = stage;
      const wanted = await stage.describe("data");
      const repository = await world.folderOf({ namespace, name: "repository" });
      using hand = new EngineByHand({ engine, repository, password });
      const lost = await world.client.get(backupResource, { namespace, name: "first" });
      await hand.forget(lost.status?.snapshot?.kopiaSnapshotID ?? "");

      const policy = { onMissingSnapshot: "Continue" } as const;
      const failed = await stage.failingRestore("lost", { backupRef: { name: "first" } }, "empty", policy);
      expect(failed.status?.failure).toMatchObject({ errorClass: "SnapshotMissing", retry: "terminal" });
      await stage.restore("again", { backupRef: { name: "second" } }, "restored");
      expect(treeDifferences(wanted, await stage.describe("restored"))).toEqual([]);

      await refreshed(stage, "one");
      const said = async (name: string) =>
        (await world.client.get(backupResource, { namespace, name })).status?.conditions?.find(
          ({ type }) => type === "SnapshotMissing",
        );
      expect(await said("first")).toMatchObject({ status: "Unknown", reason: "NotListed" });
      expect(await said("second")).toBeUndefined();
      // There is nothing left to delete for it, and so nothing in the way.
      const patch = { spec: { deletionPolicy: "Delete" } } as const;
      await world.client.patch(backupResource, { namespace, name: "first" }, { type: "merge", patch });
      await stage.remove(backupResource, "first");
      expect((await refreshed(stage, "two")).storageStats?.snapshotCount).toBe(1);
    });

    test("a snapshot made by hand is shown on demand, and said to be missing once it is gone", {
      timeout: 300_000,
    }, async () => {
      await using stage = await Stage.enter(world, engine);
      await twoBackups(stage, await stage.repositoryOnVolume());
      const { namespace, password } = stage;
      const repository = await world.folderOf({ namespace, name: "repository" });
      using hand = new EngineByHand({ engine, repository, password });
      const folder = mkdtempSync(join(tmpdir(), "desk-"));
      await buildTree(folder, [{ path: "note", file: { text: "by hand" } }]);
      await hand.backUp(folder);
      rmSync(folder, { recursive: true });

      const known = await refreshed(stage, "one");
      const [found] = await foundBackups(stage, 1);
      expect(found?.status?.snapshot).toMatchObject({
        identity: { hostname: "desk", sourcePath: folder },
        fidelity: "Engine",
      });
      expect(known).toMatchObject({
        storageStats: { snapshotCount: 3 },
        catalog: { discoveredBackupCount: 1, hiddenSnapshotCount: 0, identityCount: 2 },
      });
      await stage.restore("note", { backupRef: { name: found?.metadata.name ?? "" } }, "note");
      const restored = await stage.describe("note");
      expect(restored.map(({ path }) => path)).toContain("note");

      await hand.forget(found?.status?.snapshot?.kopiaSnapshotID ?? "");
      await refreshed(stage, "two");
      const marked = await world.client.get(backupResource, { namespace, name: found?.metadata.name ?? "" });
      expect(marked.status?.conditions).toContainEqual(
        expect.objectContaining({ type: "SnapshotMissing", status: "Unknown", reason: "NotListed" }),
      );
    });
  });
}

async function twoBackups(stage: Stage, repository: string): Promise<void> {
  await stage.filledClaim("data", HOUSEHOLD);
  await stage.recipe("data", repository);
  await stage.backup("first", "data", { deletionPolicy: "Retain" });
  await stage.backup("second", "data", { deletionPolicy: "Retain" });
}
