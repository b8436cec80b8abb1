import { describe, expect, test } from "vitest";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { PersistentVolumeClaims, StorageClasses } from "../../src/kube/builtin.ts";
import { isTriedHere, LONG } from "./faults_moments.ts";
import type { Death } from "./mortal_sender.ts";
import type { Stage } from "./stage.ts";
import { filledScene, nothingStaged, recipe, untilStaged } from "./staging_stage.ts";
import type { ScenarioWorld } from "./world.ts";

/** Requests of an operator, from its first looks to the end of what it staged; in the usual run some of them. */
const DEATHS: readonly Death[] = [6, 9, 12, 15, 18, 21, 24, 27, 30, 33]
  .map((request, index) => ({ request, carriedOut: index % 2 === 1 }))
  .filter((_, index) => LONG || index % 3 === 1);

/** However a Backup ends, what was staged for it ends with it. */
export function nothingIsLeft(world: () => ScenarioWorld): void {
  describe("nothing is left", () => {
    test("of a Backup that fails", { timeout: 180_000 }, async () => {
      await using stage = await filledScene(world());
      await recipe(stage, "data", { mover: { privilegedMode: false, securityContext: { runAsUser: 4711 } } });
      await stage.beginBackup("fails", "data", { failurePolicy: { backoffLimit: 0 } });
      await stage.until(backupResource, "fails", "Failed", ["Succeeded"]);
      await nothingStaged(stage);
    });

    test("of a Backup that is cancelled while its copy is made", { timeout: 180_000 }, async () => {
      await using stage = await filledScene(world());
      await recipe(stage, "data");
      await stage.beginBackup("cancelled", "data");
      await untilStaged(stage);
      const patch = { metadata: { annotations: { [ANNOTATIONS.cancel]: "true" } } };
      const key = { namespace: stage.namespace, name: "cancelled" };
      await world().client.patch(backupResource, key, { type: "merge", patch });
      await stage.until(backupResource, "cancelled", "Failed");
      await nothingStaged(stage);
    });

    test("of a Backup that is deleted while its copy is made", { timeout: 180_000 }, async () => {
      await using stage = await filledScene(world());
      await recipe(stage, "data");
      await stage.beginBackup("goes", "data");
      await untilStaged(stage);
      await stage.remove(backupResource, "goes");
      await nothingStaged(stage);
    });

    test("of a Backup that somebody took away by force while no operator looked", {
      timeout: 300_000,
    }, async () => {
      await using stage = await filledScene(world());
      const { client, operator } = world();
      const storageClassName = await retainingClass(stage);
      await recipe(stage, "data", { copyMethod: "Clone", staging: { storageClassName } });
      await stage.beginBackup("forced", "data");
      await untilStaged(stage);
      await operator.away(async () => {
        const key = { namespace: stage.namespace, name: "forced" };
        await client.patch(backupResource, key, { type: "merge", patch: { metadata: { finalizers: null } } });
        await stage.remove(backupResource, "forced");
      });
      await nothingStaged(stage);
      await client.delete(StorageClasses, { name: storageClassName });
    });

    test.runIf(isTriedHere(0))("by operators that die on the way", { timeout: 600_000 }, async () => {
      await using stage = await filledScene(world());
      await recipe(stage, "data");
      for (const [index, death] of DEATHS.entries()) {
        const name = `x${index}`;
        const { died } = await world().operator.replace(death);
        await stage.beginBackup(name, "data");
        const ended = stage.until(backupResource, name, "Succeeded", ["Failed"]);
        await Promise.race([died, ended]);
        await world().operator.replace();
        expect((await ended).status?.job?.attempts).toBe(1);
        await nothingStaged(stage);
      }
    });
  });
}

/** A class like the one of the claim `data`, whose volumes stay when their claims go. */
async function retainingClass(stage: Stage): Promise<string> {
  const { client } = stage.world;
  const { spec } = await client.get(PersistentVolumeClaims, { namespace: stage.namespace, name: "data" });
  const like = await client.get(StorageClasses, { name: spec?.storageClassName ?? "" });
  const { provisioner, parameters } = like;
  const name = `retained-${stage.namespace}`;
  const draft = { metadata: { name }, provisioner, reclaimPolicy: "Retain" };
  await client.create(StorageClasses, { ...draft, ...(parameters ? { parameters } : {}) });
  return name;
}
