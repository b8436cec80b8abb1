import { expect, test } from "vitest";
import { type FoundEntry, treeDifferences } from "../../src/engines/testing/tree.ts";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { PersistentVolumeClaims } from "../../src/kube/builtin.ts";
import { FILMS, HOUSEHOLD } from "./household.ts";
import { bornFrom, readyReason, restoreOf, untilBorn, untilRestore } from "./population_stage.ts";
import { Stage } from "./stage.ts";
import { recipe } from "./staging_stage.ts";
import type { ScenarioWorld } from "./world.ts";

const LABELS = { backup: "include" };
/** Claims that nothing selects, as many as are filled at once. */
const STRAYS = ["stray-1", "stray-2", "stray-3", "stray-4"];
const VOLUMES = { letters: HOUSEHOLD, films: FILMS } as const;

/** Claims of a recipe that selects them by labels come one after the other, each with what was its own. */
export function selectedClaims(world: () => ScenarioWorld): void {
  test("a claim that a recipe does not select yet waits, and is not born with another's data", {
    timeout: 240_000,
  }, async () => {
    await using stage = await Stage.enter(world(), "kopia");
    await stage.repositoryOnVolume();
    const wanted = new Map<string, readonly FoundEntry[]>();
    for (const [name, entries] of Object.entries(VOLUMES)) {
      await stage.filledClaim(name, entries);
      await labelled(stage, name);
      wanted.set(name, await stage.describe(name));
    }
    await recipe(stage, "app", {
      sources: [{ pvcSelector: { labelSelector: { matchLabels: LABELS } }, sourcePathStrategy: "PVCName" }],
      copyMethod: "Direct",
      groupBy: "None",
    });
    await untilSelected(stage, ["films", "letters"]);
    await stage.backup("first", "app");
    for (const name of wanted.keys()) await stage.remove(PersistentVolumeClaims, name);

    await restoreOf(stage, "app", { source: { fromConfig: { name: "app" } } });
    await bornFrom(stage, "letters", "app");
    await labelled(stage, "letters");
    await untilBorn(stage, "letters");
    await untilSelected(stage, ["letters"]);
    for (const name of STRAYS) await bornFrom(stage, name, "app");
    await untilWaiting(stage, STRAYS);
    await bornFrom(stage, "films", "app");
    await untilWaiting(stage, [...STRAYS, "films"]);
    await labelled(stage, "films");
    await stage.until(PersistentVolumeClaims, "films", "Bound");
    await untilWaiting(stage, STRAYS);
    for (const name of STRAYS) await stage.remove(PersistentVolumeClaims, name);
    await untilBorn(stage, "films");
    for (const [name, tree] of wanted) expect(treeDifferences(tree, await stage.describe(name))).toEqual([]);
  });
}

/** Once each of these claims, and no other, says that it is not selected. */
async function untilWaiting(stage: Stage, names: readonly string[]): Promise<void> {
  await untilRestore(stage, "app", `${names} wait`, (restore) => {
    const waiting = (restore.status?.claims ?? []).filter(({ name, message = "" }) =>
      message.includes(`does not select ${name} `),
    );
    const told = waiting.map(({ name }) => name).toSorted();
    return readyReason(restore) === "VolumeNotSelected" && `${told}` === `${names.toSorted()}`;
  });
}

async function labelled({ world, namespace }: Stage, name: string): Promise<void> {
  const patch = { metadata: { labels: LABELS } };
  await world.client.patch(PersistentVolumeClaims, { namespace, name }, { type: "merge", patch });
}

/** Once the recipe is about these claims, and no other. */
async function untilSelected({ world, namespace }: Stage, names: readonly string[]): Promise<void> {
  await expect
    .poll(
      async () => {
        const { status } = await world.client.get(backupConfigResource, { namespace, name: "app" });
        return status?.resolved?.identity?.sources?.map(({ pvc }) => pvc);
      },
      { timeout: 120_000, interval: 100 },
    )
    .toEqual(names.map((name) => `${namespace}/${name}`));
}
