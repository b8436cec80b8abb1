import { rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { damage, largestFile } from "../../src/engines/testing/interference.ts";
import { subtree, treeDifferences } from "../../src/engines/testing/tree.ts";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { maintenanceResource } from "../../src/kinds/kopiur/generated/maintenance.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { type RestoreSpec, restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { Events } from "../../src/kube/builtin.ts";
import { LARGE_HOUSEHOLD } from "./household.ts";
import { annotate, maintenanceOf, untilCondition } from "./maintenance_stage.ts";
import { restoreOf } from "./population_stage.ts";
import { EMBEDDED_ENGINES } from "./scenario_engines.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

/**
 * A piece of the repository's storage was lost, came back, and has rotted: that is found and said, and costs no more than
 * what was in it.
 */
export function damagedRepositories(world: () => ScenarioWorld): void {
  describe.each(EMBEDDED_ENGINES)("with %s, a file of the repository", (engine) => {
    test("that is lost, or damaged, is reported, fails what needs it by name, and nothing else", {
      timeout: 600_000,
    }, async () => {
      await using stage = await Stage.enter(world(), engine);
      await stage.repositoryOnVolume();
      await stage.filledClaim("data", LARGE_HOUSEHOLD);
      const wanted = await stage.describe("data");
      await stage.recipe("data", "repository");
      await stage.backup("first", "data");
      const folder = await world().folderOf({ namespace: stage.namespace, name: "repository" });

      await maintenanceOf(stage, "upkeep", { check: { afterFull: true, dataPercent: 100 } });
      await whileAPackIsLost(stage, folder, new Set([".", ...wanted.map(({ path }) => inStatus(path))]));

      await damage(folder);
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
        await begin(stage, name, { path, targetPath: "/" });
        await stage.until(restoreResource, name, "Completed", ["Failed"]);
      }
      expect(treeDifferences(subtree(wanted, "letters"), await stage.describe("folder"))).toEqual([]);
      const found = (await stage.describe("file")).filter(({ path }) => path !== "");
      const film = wanted.find(({ path }) => path === other);
      expect(found).toEqual([{ ...film, path: basename(other) }]);
    });
  });
}

/** A status is UTF-8: it shows each byte of a name that is not as one replacement character. */
const inStatus = (path: string) => path.replaceAll(/\\x[0-9a-f]{2}/g, "\ufffd");

/** Nothing but the check after maintenance notices; what is hit is named, until the file is there again. */
async function whileAPackIsLost(stage: Stage, folder: string, paths: ReadonlySet<string>): Promise<void> {
  const { client } = stage.world;
  const { namespace } = stage;
  const pack = await largestFile(folder);
  const elsewhere = join(folder, "lost-pack");
  await rename(pack, elsewhere);
  await stage.backup("second", "data");
  await annotate(stage, "upkeep", { [ANNOTATIONS.runRequested]: "quick 1" });
  const { status } = await untilCondition(stage, maintenanceResource, "upkeep", "Stalled", "DataMissing");
  const missing = {
    packs: 1,
    snapshots: 2,
    hit: ["second", "first"].map((name) =>
      expect.objectContaining({
        backup: `${namespace}/${name}`,
        // Which of its files are named, the engine's order of writing decides.
        examples: expect.arrayContaining([expect.any(String)]),
      }),
    ),
  };
  expect(status?.lastCheck).toMatchObject({ healthy: false, missing });
  const named = status?.lastCheck?.missing?.hit?.flatMap(({ examples = [] }) => examples) ?? [];
  expect(named.filter((path) => !paths.has(path))).toEqual([]);
  const repository = await untilCondition(
    stage,
    repositoryResource,
    "repository",
    "Intact",
    "DataMissing",
    "False",
  );
  expect(repository.status?.missingData).toEqual(missing);
  const warned = async () =>
    (await client.list(Events, { namespace })).items
      .filter(({ reason, type }) => reason === "DataMissing" && type === "Warning")
      .map((event) => event.involvedObject.kind)
      .toSorted();
  await expect.poll(warned, { timeout: 60_000 }).toEqual(["Maintenance", "Repository"]);

  await rename(elsewhere, pack);
  await annotate(stage, "upkeep", { [ANNOTATIONS.runRequested]: "quick 2" });
  const healed = await untilCondition(stage, repositoryResource, "repository", "Intact", "Checked", "True");
  expect(healed.status).not.toHaveProperty("missingData");
  await untilCondition(stage, maintenanceResource, "upkeep", "Ready", "Scheduled", "True");
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
