import { expect, test } from "vitest";
import { type Pod, Pods } from "../../../../src/kube/builtin.ts";
import { APP_IMAGE } from "../fake_node.ts";
import { AutorestoreWorld } from "./autorestore_world.ts";

const VOLUMES = ["data-db-0", "data-db-1", "data-db-2"];
/** A mover is started in one second of this world and has ended in the next: to ask, and to restore. */
const MOVERS_SECONDS = 4;

test("a StatefulSet of three volumes runs within ten seconds of what its movers take", {
  timeout: 120_000,
}, async () => {
  await using world = await new AutorestoreWorld().start();
  for (const name of VOLUMES) world.keepSnapshot(name);
  // The repositories are there already.
  await world.turns(20);
  const begun = world.clock.now();
  for (const name of VOLUMES) await world.claim(name);
  await world.workload("StatefulSet", "db", { claims: VOLUMES, replicas: 3 });
  await world.until("it is held", async () => (await world.restores).length === VOLUMES.length);
  const runs = ({ spec, status }: Pod) =>
    spec?.containers[0]?.image === APP_IMAGE && status?.phase === "Running";
  await world.until("its pods run on restored volumes", async () => {
    const restored = (await world.restores).every(({ status }) => status?.result === "Restored");
    return restored && (await world.all(Pods)).filter(runs).length === 3;
  });
  const seconds = (world.clock.now() - begun) / 1000;
  expect(seconds - MOVERS_SECONDS).toBeLessThanOrEqual(10);
  expect([...world.clashes]).toEqual([]);
});
