import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { down, load, up } from "../../tools/cluster/cluster.ts";
import { buildImage, imageTag } from "../../tools/images/images.ts";
import { INSTEAD } from "../../tools/images/test_engines.ts";
import { clusterWorld } from "./cluster_world.ts";
import type { ScenarioWorld } from "./world.ts";

/**
 * A real cluster beside the one under test, for this world alone: every process of it ends with the world, at once, and
 * nothing of it is left.
 */
export async function mortalClusterWorld(): Promise<ScenarioWorld> {
  const name = `${process.env.HOLDFAST_TEST_CLUSTER}-mortal`;
  const folder = mkdtempSync(join(tmpdir(), "mortal-"));
  try {
    const archive = join(folder, "mover.tar");
    await buildImage("mover", archive, { instead: INSTEAD.cheap });
    const { kubeconfig, hostAddress } = await up({ name });
    await load(name, [archive]);
    const world = await clusterWorld({}, { kubeconfig, name, hostAddress, moverImage: imageTag("mover") });
    let ended: Promise<void> | undefined;
    const end = async () => {
      if (ended) return ended;
      const gone = down(name);
      ended = gone;
      await gone;
      // What the world would put in order has no API server any more. It need not be waited for before the end.
      ended = Promise.resolve(world[Symbol.asyncDispose]()).catch(() => {});
    };
    return { ...world, [Symbol.asyncDispose]: end };
  } catch (error) {
    await down(name);
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
