import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { damage } from "../../src/engines/testing/interference.ts";
import { subtree, treeDifferences } from "../../src/engines/testing/tree.ts";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { maintenanceResource } from "../../src/kinds/kopiur/generated/maintenance.ts";
import { type RestoreSpec, restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { LARGE_HOUSEHOLD } from "./household.ts";
import { annotate, maintenanceOf, untilCondition } from "./maintenance_stage.ts";
import { restoreOf } from "./population_stage.ts";
import { EMBEDDED_ENGINES } from "./scenario_engines.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

/** A piece of the repository's storage has rotted: that is found and said, and costs no more than what was in it. */
export function damagedRepositories(world: () => ScenarioWorld): void {
  describe.each(EMBEDDED_ENGINES)("with %s, a damaged file of the repository", (engine) => {
    test("is reported, fails what needs it by name, and nothing else", { timeout: 600_000 }, async () => {
      await using stage = await Stage.enter(world(), engine);
      await stage.repositoryOnVolume();
      await stage.filledClaim("data", LARGE_HOUSEHOLD);
      const wanted = await stage.describe("data");
      await stage.recipe("data", "repository");
      await stage.backup("first", "data");
      await damage(await world().folderOf({ namespace: stage.namespace, name: "repository" }));

      await maintenanceOf(stage, "upkeep", { check: { afterFull: true, dataPercent: 100 } });
      await annotate(stage, "upkeep", { [ANNOTATIONS.runRequested]: "full 1" });
      const { status } = await untilCondition(stage, maintenanceResource, "upkeep", "Stalled", "Corrupt");
      expect(status?.lastCheck).toMatchObject({
        healthy: false,
        problems: expect.arrayContaining([expect.any(String)]),
      });

      await begin(stage, "everything");
      const { status: failed } = await stage.until(restoreResource, "everything", "Failed", ["Completed"]);
      expect(failed?.failure).toMatchObject({ errorClass: "Corrupt", retry: "terminal" });
      // Which one it is, the engine's order of writing decides.
      const named = /\b(?:films|pictures)\/\w+\.raw/.exec(failed?.failure?.stderrTail ?? "")?.[0];
      expect(named, JSON.stringify(failed)).toBeDefined();

      const other = named === "films/0.raw" ? "films/1.raw" : "films/0.raw";
      for (const [name, path] of [
        ["folder", "letters"],
        ["file", other],
      ] as const) {
        await begin(stage, name, { path });
        await stage.until(restoreResource, name, "Completed", ["Failed"]);
      }
      expect(treeDifferences(subtree(wanted, "letters"), await stage.describe("folder"))).toEqual([]);
      const found = (await stage.describe("file")).filter(({ path }) => path !== "");
      const film = wanted.find(({ path }) => path === other);
      expect(found).toEqual([{ ...film, path: basename(other) }]);
    });
  });
}

/** A Restore of the Backup `first` into a new claim of the Restore's own name. */
async function begin(
  stage: Stage,
  name: string,
  options: Partial<RestoreSpec["options"]> = {},
): Promise<void> {
  const { storageClassName } = stage.world;
  await restoreOf(stage, name, {
    source: { backupRef: { name: "first" } },
    target: {
      pvc: {
        name,
        capacity: "100Mi",
        accessModes: ["ReadWriteOnce"],
        ...(storageClassName ? { storageClassName } : {}),
      },
    },
    options: { ownership: "Exact", ...options },
  });
}
