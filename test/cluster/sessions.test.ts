import { join } from "node:path";
import { buildTree } from "../../src/engines/testing/tree.ts";
import { clusterFolder } from "../../tools/cluster/folders.ts";
import { readInfo } from "../../tools/cluster/info.ts";
import type { SessionWorld } from "../scenarios/session_world.ts";
import { repositorySessions } from "../scenarios/sessions.ts";
import { volumeHandle } from "../scenarios/volume_handle.ts";
import { enterWorld } from "./world.ts";

async function clusterWorld(): Promise<SessionWorld> {
  const { HOLDFAST_TEST_CLUSTER: name = "", HOLDFAST_TEST_MOVER_IMAGE: moverImage = "" } = process.env;
  const world = await enterWorld("sessions");
  const { client, pods: logs, namespace } = world;
  const volumes = join(readInfo(clusterFolder(name)).directory, "volumes");
  return {
    client,
    logs,
    namespace,
    moverImage,
    put: async (claim, entries) => buildTree(join(volumes, await volumeHandle(client, claim)), entries),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

repositorySessions(clusterWorld);
