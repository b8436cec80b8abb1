import { describe, expect, test } from "vitest";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { type Backup, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { Moments } from "./faults_moments.ts";
import { followed, nothingIsLeft, repositoryIsSound } from "./faults_stage.ts";
import { HOUSEHOLD } from "./household.ts";
import type { Death } from "./mortal_sender.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

/** An operator makes about as many requests in a backup and a restore. */
const REQUESTS = 60;
const DEATHS = 4;

/** The operator dies, again and again, wherever it is; another one goes on. */
export function killedOperators(world: () => ScenarioWorld): void {
  const moments = new Moments(2);
  describe.each(moments.engines())("operators that die over work of %s", (engine) => {
    test("leave nothing that the next one does not end, once", { timeout: Moments.timeout }, async () => {
      const { operator } = world();
      await using stage = await Stage.enter(world(), engine);
      const repository = await stage.repositoryOnVolume();
      await stage.filledClaim("data", HOUSEHOLD);
      const wanted = await stage.describe("data");
      await stage.recipe("data", repository);
      const backups: Backup[] = [];
      for (let time = 0; time < Moments.times; time++) {
        const deaths = Array.from({ length: DEATHS }, () => someDeath(moments));
        await moments.seeded(`operators that die at ${JSON.stringify(deaths)}`, async () => {
          const lives = oneAfterAnother(operator, deaths);
          const name = `x${time}`;
          await stage.beginBackup(name, "data");
          await stage.beginRestore(name, { backupRef: { name } }, name);
          const backup = await followed(stage, backupResource, name, { impatient: false });
          const restore = await followed(stage, restoreResource, name, { impatient: false });
          await lives.end();
          expect(backup.object.status).toMatchObject({ phase: "Succeeded", job: { attempts: 1 } });
          expect(restore.object.status).toMatchObject({ phase: "Completed", job: { attempts: 1 } });
          expect([...backup.failures, ...restore.failures]).toEqual([]);
          expect(treeDifferences(wanted, await stage.describe(name))).toEqual([]);
          backups.push(backup.object);
        });
      }
      await repositoryIsSound(stage, backups, wanted);
      await nothingIsLeft(stage);
    });
  });
}

export function someDeath(moments: Moments): Death {
  return { request: 1 + moments.below(REQUESTS), carriedOut: moments.below(2) === 1 };
}

/** Replaces each operator when it has died. The last one lives. */
export function oneAfterAnother(operator: ScenarioWorld["operator"], deaths: readonly Death[]) {
  const over = Promise.withResolvers<"over">();
  const run = async () => {
    for (const death of deaths) {
      const { died } = await operator.replace(death);
      if ((await Promise.race([died, over.promise])) === "over") break;
    }
    await operator.replace();
  };
  const done = run();
  return {
    async end() {
      over.resolve("over");
      await done;
    },
  };
}
