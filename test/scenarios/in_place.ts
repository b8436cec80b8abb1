import { describe, expect, test } from "vitest";
import { type TreeEntry, treeDifferences } from "../../src/engines/testing/tree.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { Pods } from "../../src/kube/builtin.ts";
import { cancelledRestores } from "./cancelled_restores.ts";
import { startPod } from "./claim_pod.ts";
import { HOUSEHOLD } from "./household.ts";
import { readyReason, restoreOf, untilRestore } from "./population_stage.ts";
import { SCENARIO_ENGINES } from "./scenario_engines.ts";
import { Stage } from "./stage.ts";
import { SLEEPS, StatefulWorkload } from "./stateful_workload.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

const TIMEOUT = { timeout: 240_000 };

/** What somebody has done to a volume since its backup. */
const DAMAGE: readonly TreeEntry[] = [
  { path: "letters/first.txt", file: { text: "not what was written" } },
  { path: "intruder", file: { text: "was never backed up" } },
];

/** What was in a volume comes back into the same volume, while nobody uses it. */
export function inPlace(open: OpenWorld): void {
  let world: ScenarioWorld;

  withWorld(open, (opened) => {
    world = opened;
  });

  /** A volume that was backed up and is damaged, what it held, and an image that has node. */
  const damaged = async (stage: Stage) => {
    await stage.repositoryOnVolume();
    await stage.filledClaim("data", HOUSEHOLD);
    const wanted = await stage.describe("data");
    await stage.recipe("data", "repository");
    const { status } = await stage.backup("first", "data");
    await world.put({ namespace: stage.namespace, name: "data" }, DAMAGE);
    expect(treeDifferences(wanted, await stage.describe("data"))).not.toEqual([]);
    return { wanted, image: status?.job?.image ?? "" };
  };

  const back = (stage: Stage, scaleDownWorkloads = false) =>
    restoreOf(stage, "back", {
      source: { backupRef: { name: "first" } },
      target: { pvcRef: { name: "data", scaleDownWorkloads, backupFirst: false } },
      options: { ownership: "Exact", enableFileDeletion: true },
    });

  describe.each(SCENARIO_ENGINES)("with %s", (engine) => {
    test("a volume becomes again what it was, once nothing mounts it", TIMEOUT, async () => {
      await using stage = await Stage.enter(world, engine);
      const { wanted, image } = await damaged(stage);
      await startPod(stage, { name: "user", claim: "data", image, script: SLEEPS });
      await stage.until(Pods, "user", "Running");
      await back(stage);
      const refused = await untilRestore(
        stage,
        "back",
        "refused",
        (one) => readyReason(one) === "VolumeInUse",
      );
      expect(refused.status?.conditions).toContainEqual(
        expect.objectContaining({ type: "Ready", message: expect.stringContaining("scaleDownWorkloads") }),
      );
      expect(treeDifferences(wanted, await stage.describe("data"))).not.toEqual([]);
      await stage.remove(Pods, "user");
      await stage.until(restoreResource, "back", "Completed", ["Failed"]);
      expect(treeDifferences(wanted, await stage.describe("data"))).toEqual([]);
    });
  });

  cancelledRestores(() => world);

  test("a single path comes back, and all else stays", TIMEOUT, async () => {
    await using stage = await Stage.enter(world, "kopia");
    const { wanted } = await damaged(stage);
    await restoreOf(stage, "back", {
      source: { backupRef: { name: "first" } },
      target: { pvcRef: { name: "data", backupFirst: false } },
      options: { path: "letters/first.txt", ownership: "Exact" },
    });
    await stage.until(restoreResource, "back", "Completed", ["Failed"]);
    const found = await stage.describe("data");
    const at = (path: string, entries: typeof found) => entries.filter((one) => one.path === path);
    expect(found).toContainEqual(expect.objectContaining({ path: "intruder" }));
    expect(at("letters/first.txt", found).map(({ sha256 }) => sha256)).toEqual(
      at("letters/first.txt", wanted).map(({ sha256 }) => sha256),
    );
  });

  test("what is overwritten is backed up first, and can be had back", TIMEOUT, async () => {
    await using stage = await Stage.enter(world, "kopia");
    const { wanted } = await damaged(stage);
    const before = await stage.describe("data");
    const options = { ownership: "Exact", enableFileDeletion: true } as const;
    await restoreOf(stage, "back", {
      source: { backupRef: { name: "first" } },
      target: { pvcRef: { name: "data" } },
      options,
    });
    const { status } = await stage.until(restoreResource, "back", "Completed", ["Failed"]);
    expect(treeDifferences(wanted, await stage.describe("data"))).toEqual([]);
    await restoreOf(stage, "undo", {
      source: { backupRef: { name: status?.safetyBackup ?? "" } },
      target: { pvcRef: { name: "data", backupFirst: false } },
      options,
    });
    await stage.until(restoreResource, "undo", "Completed", ["Failed"]);
    expect(treeDifferences(before, await stage.describe("data"))).toEqual([]);
  });

  test(
    "a workload goes down for the restore and comes back after it, whoever finishes it",
    TIMEOUT,
    async () => {
      await using stage = await Stage.enter(world, "kopia");
      const { wanted, image } = await damaged(stage);
      await using workload = await StatefulWorkload.start(stage, image);
      await back(stage, true);
      await workload.until("down", ({ replicas }) => replicas === 0);
      await world.operator.replace();
      await stage.until(restoreResource, "back", "Completed", ["Failed"]);
      expect(treeDifferences(wanted, await stage.describe("data"))).toEqual([]);
      await workload.isBack();
      const restore = await untilRestore(
        stage,
        "back",
        "nothing is held",
        ({ metadata }) => !metadata.finalizers,
      );
      expect(restore.status?.scaledWorkloads).toBeUndefined();
    },
  );

  test("a workload comes back when the restore failed, and when it was deleted", TIMEOUT, async () => {
    await using stage = await Stage.enter(world, "kopia");
    const { image } = await damaged(stage);
    await using workload = await StatefulWorkload.start(stage, image);
    await restoreOf(stage, "fails", {
      source: { backupRef: { name: "first" } },
      target: { pvcRef: { name: "data", scaleDownWorkloads: true, backupFirst: false } },
      options: { existingFiles: "Refuse" },
    });
    await stage.until(restoreResource, "fails", "Failed", ["Completed"]);
    await workload.isBack();
    await back(stage, true);
    await workload.until("down", ({ replicas }) => replicas === 0);
    await stage.remove(restoreResource, "back");
    await workload.isBack();
  });
}
