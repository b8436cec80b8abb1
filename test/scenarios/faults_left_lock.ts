import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { followedBackup, moverOf, nothingIsLeft, pause, repositoryIsSound } from "./faults_stage.ts";
import { LARGE_HOUSEHOLD } from "./household.ts";
import { killProcess } from "./machine_processes.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

/** A mover of restic dies, and cannot release its lock any more. */
export function leftLocks(world: () => ScenarioWorld): void {
  test("a lock that a killed mover of restic left is in nobody's way", { timeout: 300_000 }, async ({
    skip,
  }) => {
    if (!world().namedHosts) return skip("pods have no host names of their own here");
    await using stage = await Stage.enter(world(), "restic");
    const repository = await stage.repositoryOnVolume();
    await stage.filledClaim("data", LARGE_HOUSEHOLD);
    const wanted = await stage.describe("data");
    await stage.recipe("data", repository);
    await stage.backup("goes", "data");

    const volume = await world().folderOf({ namespace: stage.namespace, name: "repository" });
    const locks = () => readdir(join(volume, "locks"));
    await stage.beginBackup("stays", "data");
    const pod = await moverOf(stage, backupResource, "stays", "snapshot");
    while ((await locks()).length === 0) await pause(5);
    if (!pod) throw new Error("the mover ended before it could be killed");
    for (const { pid } of world().processesOf(pod)) killProcess(pid);
    expect(await locks()).toHaveLength(1);
    const { object } = await followedBackup(stage, "stays");
    expect(object.status).toMatchObject({ phase: "Succeeded", job: { attempts: 2 } });
    expect(await locks()).toEqual([]);

    // Deleting takes a lock that bears no other beside it.
    await stage.remove(backupResource, "goes");
    await repositoryIsSound(stage, [object], wanted);
    await nothingIsLeft(stage);
  });
}
