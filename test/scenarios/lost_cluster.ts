import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type FoundEntry, treeDifferences } from "../../src/engines/testing/tree.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { startS3 } from "../engines/servers.ts";
import { LONG, Moments } from "./faults_moments.ts";
import { pause } from "./faults_stage.ts";
import {
  deployed,
  type LostHome,
  NAMES,
  passSlot,
  unlocked,
  untilListed,
  untilScheduled,
  VOLUMES,
} from "./lost_cluster_home.ts";
import { maintained } from "./maintenance_stage.ts";
import { bornFrom, restoreOf } from "./population_stage.ts";
import type { Stage } from "./stage.ts";
import { StatefulWorkload } from "./stateful_workload.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

export interface LostClusterOptions {
  /** Where the storage listens, which outlives every world: each may have another way to this machine. */
  readonly host: string;
  /** By then most of what was begun has ended, on a machine with little else to do. In milliseconds. */
  readonly latest: number;
}

/**
 * A cluster is gone from one moment to the next, with all that it was about to do: what comes after it has its manifests
 * and the repository. `open` gives worlds that take all of their state with them when they end.
 */
export function lostCluster(open: OpenWorld, { host, latest }: LostClusterOptions): void {
  const moments = new Moments(12);
  test.each(moments.engines())(
    "a cluster that is lost in the middle of its work is whole again (%s)",
    { timeout: LONG ? 7_200_000 : 900_000 },
    async (engine) => {
      await using stack = new AsyncDisposableStack();
      const folder = mkdtempSync(join(tmpdir(), "lost-"));
      stack.defer(() => rm(folder, { recursive: true, force: true }));
      const storage = await startS3(folder, host);
      stack.defer(() => storage.stop());
      const password = systemRandom.hex(16);
      const home: LostHome = { engine, storage, namespace: `home-${systemRandom.hex(3)}`, password };

      const wanted = new Map<string, readonly FoundEntry[]>();
      let world: ScenarioWorld = stack.use(await open());
      let stage = await deployed(world, home);
      for (const name of NAMES) {
        await world.put({ namespace: stage.namespace, name }, VOLUMES[name]);
        wanted.set(name, await stage.describe(name));
      }
      await Promise.all(NAMES.map((name) => stage.backup(`first-${name}`, name)));
      for (let time = 1; time <= Moments.times; time++) {
        const after = moments.below(latest);
        // Else what comes next has to live with the locks that were left: those of restic that let others in.
        const alone = engine === "kopia" || moments.oneOf([true, false]);
        await moments.seeded(`lost ${after} ms into its work, ${alone ? "all" : "some"} of it`, async () => {
          await lost(stage, { alone, after });
          await world[Symbol.asyncDispose]();
          if (engine === "restic" && alone) await unlocked(home);
          world = stack.use(await open());
          stage = await deployed(world, home);
          for (const name of NAMES)
            expect(treeDifferences(wanted.get(name) ?? [], await stage.describe(name))).toEqual([]);
          // It goes on from there, and what was broken off has broken nothing.
          await Promise.all(NAMES.map((name) => stage.backup(`again-${name}`, name)));
          await untilListed(stage, home);
          if (engine === "restic") await unlocked(home);
          const { status } = await maintained(stage, "repository", `check ${time}`);
          expect(status?.lastCheck).toMatchObject({ healthy: true });
          await untilScheduled(stage, 1);
        });
      }
    },
  );
}

/**
 * A bit of everything, up to a moment in the middle of it. `alone`: also what must be alone with a repository of restic's.
 */
async function lost(
  stage: Stage,
  { alone, after }: { readonly alone: boolean; readonly after: number },
): Promise<void> {
  const { namespace, world } = stage;
  await stage.claim("desk");
  await using _ = await StatefulWorkload.start(stage, world.moverImage, "desk");
  await stage.backup("passing", "letters");
  for (const name of NAMES) {
    await stage.beginBackup(`second-${name}`, name);
    await stage.beginRestore(`copy-${name}`, { fromConfig: { name } }, `copy-of-${name}`);
  }
  await bornFrom(stage, "born", "films");
  await restoreOf(stage, "in-place", {
    source: { fromConfig: { name: "letters" } },
    target: { pvcRef: { name: "desk", scaleDownWorkloads: true } },
  });
  if (alone) {
    passSlot(stage);
    await world.client.delete(backupResource, { namespace, name: "passing" });
    void maintained(stage, "repository", "full 0").catch(() => {});
  }
  await pause(after);
}
