import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TreeEntry } from "../../src/engines/testing/tree.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { followedBackup, moverOf, nothingIsLeft, pause, repositoryIsSound } from "./faults_stage.ts";
import { FILMS } from "./household.ts";
import { killProcess } from "./machine_processes.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

/** More than restic takes in before it can be killed, although its keys are cheap. */
const SERIES: readonly TreeEntry[] = Array.from({ length: 6 }, (_, n) => ({
  path: `series/${n}.raw`,
  file: { random: { bytes: 10_000_000, seed: 200 + n } },
}));

/** A mover of restic dies, and cannot release its lock any more. */
export function leftLocks(world: () => ScenarioWorld): void {
  test("a lock that a killed mover of restic left is in nobody's way", { timeout: 300_000 }, async () => {
    await using stage = await Stage.enter(world(), "restic");
    const repository = await stage.repositoryOnVolume();
    // Plain files alone: with others restic may be started anew, and its first lock goes again.
    await stage.filledClaim("data", FILMS.slice(0, 1));
    await stage.recipe("data", repository);
    await stage.backup("goes", "data");
    // There is so much that is new that it is still at it when it is killed.
    await world().put({ namespace: stage.namespace, name: "data" }, [...FILMS, ...SERIES]);
    const wanted = await stage.describe("data");

    const volume = await world().folderOf({ namespace: stage.namespace, name: "repository" });
    // One that is only half written has another name, and is none.
    const locks = async () =>
      (await readdir(join(volume, "locks"))).filter((name) => /^[0-9a-f]{64}$/.test(name));
    await stage.beginBackup("stays", "data");
    for (let tries = 0; tries < 6_000 && (await locks()).length === 0; tries++) await pause(5);
    // Only now is it sure to have begun: whoever looks as soon as there is a pod may find no process.
    const pod = await moverOf(stage, backupResource, "stays", "snapshot");
    if (!pod) throw new Error("the mover ended before it could be killed");
    const mover = world()
      .processesOf(pod)
      .find(({ first }) => first);
    if (!mover) throw new Error("the mover ended before it could be killed");
    killProcess(mover.pid);
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
