import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Machine } from "../../src/embedded/node/testing/machine.ts";
import { buildTree } from "../../src/engines/testing/tree.ts";
import { Namespaces } from "../../src/kube/builtin.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { localImages } from "../../src/main/local_images.ts";
import { freePort } from "../../tools/cluster/free_port.ts";
import { testEngines } from "../../tools/images/test_engines.ts";
import { bundle } from "../../tools/run/bundle.ts";
import { SessionStage } from "../scenarios/session_stage.ts";
import type { SessionWorld } from "../scenarios/session_world.ts";
import { repositorySessions } from "../scenarios/sessions.ts";
import { volumeHandle } from "../scenarios/volume_handle.ts";

/** The embedded control plane, with this machine as its node. */
async function machineWorld(): Promise<SessionWorld> {
  const images: { of: ReturnType<typeof localImages> } = { of: () => undefined };
  const machine = new Machine({ images: (name) => images.of(name) });
  const mover = (await bundle("src/main/mover.ts", machine.state, "mover")).path;
  images.of = localImages({ mover, node: process.execPath, engines: testEngines() });
  await machine.start();
  const { client, podClient: logs } = machine;
  const namespace = "sessions";
  await client.create(Namespaces, { metadata: { name: namespace } });
  return {
    client,
    logs,
    namespace,
    moverImage: "holdfast/mover:test",
    put: async (claim, entries) =>
      buildTree(join(machine.state, "volumes", await volumeHandle(client, claim)), entries),
    [Symbol.asyncDispose]: () => machine.close(),
  };
}

describe.runIf(process.getuid?.() === 0)("in the embedded world", () => {
  repositorySessions(machineWorld);

  test("a session whose port is taken listens on another", { timeout: 120_000 }, async () => {
    await using world = await machineWorld();
    const stage = new SessionStage(world, "kopia");
    await stage.fill([{ path: "", folder: {} }]);
    const [taken = 0, last = 0] = [await freePort(), await freePort()].toSorted((a, b) => a - b);
    const server = createServer().listen(taken);
    await once(server, "listening");
    let picked = 0;
    const random = { ...systemRandom, next: () => (picked++ === 0 ? 0 : 1 - Number.EPSILON) };
    try {
      await using operator = await stage.operator({ random, ports: { first: taken, last } });
      const client = await operator.sessions.open(await stage.request());
      expect((await client.info()).version).toBe(1);
    } finally {
      server.close();
    }
  });
});
