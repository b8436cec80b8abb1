import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PersistentVolumeClaims } from "../src/kube/builtin.ts";
import { clusterWorld } from "../test/scenarios/cluster_world.ts";
import { EngineByHand } from "../test/scenarios/engine_by_hand.ts";
import { FILMS } from "../test/scenarios/household.ts";
import { bornFrom, restoreOf, untilBorn } from "../test/scenarios/population_stage.ts";
import { Stage } from "../test/scenarios/stage.ts";
import type { ScenarioWorld } from "../test/scenarios/world.ts";
import { down, load, up } from "../tools/cluster/cluster.ts";
import { buildImage, imageTag } from "../tools/images/images.ts";
import { INSTEAD } from "../tools/images/test_engines.ts";
import { atMost, type Figure, informs, median } from "./figures.ts";

const TIMES = 5;

/** A claim that is born with its data on a real cluster of this machine, beside kopia's own restore of the same. */
export async function populatorFigures(say: (line: string) => void): Promise<Figure[]> {
  const name = `bench-${process.pid}`;
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    say("the mover's image, and a cluster");
    const archive = join(folder, "mover.tar");
    await buildImage("mover", archive, { instead: INSTEAD.shipped });
    const { kubeconfig, hostAddress } = await up({ name });
    await load(name, [archive]);
    await using world = await clusterWorld(
      {},
      { kubeconfig, name, hostAddress, moverImage: imageTag("mover") },
    );
    return await measure(world, folder, say);
  } finally {
    await down(name);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(world: ScenarioWorld, folder: string, say: (line: string) => void): Promise<Figure[]> {
  await using stage = await Stage.enter(world, "kopia");
  const { namespace, password } = stage;
  await stage.repositoryOnVolume();
  await stage.filledClaim("data", FILMS);
  await stage.recipe("data", "repository");
  const { status } = await stage.backup("first", "data");
  await restoreOf(stage, "source", { source: { backupRef: { name: "first" } } });

  const bare: number[] = [];
  const populated: number[] = [];
  for (let time = 1; time <= TIMES; time++) {
    say(`restored by kopia alone, then by a claim, for the ${time}. time of ${TIMES}`);
    const repository = await world.folderOf({ namespace, name: "repository" });
    using hand = new EngineByHand({ engine: "kopia", repository, password, keys: "shipped" });
    const target = join(folder, `bare-${time}`);
    bare.push(await timed(() => hand.restore(status?.snapshot?.kopiaSnapshotID ?? "", target)));

    const claim = `born-${time}`;
    populated.push(
      await timed(async () => {
        await bornFrom(stage, claim, "source");
        await stage.until(PersistentVolumeClaims, claim, "Bound");
      }),
    );
    await untilBorn(stage, claim);
  }
  return [
    informs("kopia by hand: connect and restore 24 files, 24 MB", median(bare) / 1000, "s"),
    informs("a claim with the same data: from its creation until it is bound", median(populated) / 1000, "s"),
    atMost("beyond kopia's own restore", (median(populated) - median(bare)) / 1000, "s", 5),
  ];
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
