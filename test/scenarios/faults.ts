import { afterAll, beforeAll, describe } from "vitest";
import { fullDisks } from "./faults_full_disk.ts";
import { killedMovers } from "./faults_killed_mover.ts";
import { killedOperators } from "./faults_killed_operator.ts";
import { leftLocks } from "./faults_left_lock.ts";
import { changedRepositories } from "./faults_repository.ts";
import { illServers } from "./faults_storage_server.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

/** What goes wrong around backups and restores; and that afterwards everything is as if it had not. */
export function faults(open: OpenWorld): void {
  let world: ScenarioWorld;

  beforeAll(async () => {
    world = await open();
  }, 300_000);

  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
  }, 120_000);

  killedMovers(() => world);
  describe.concurrent("around it", () => {
    killedOperators(() => world);
    illServers(() => world);
    fullDisks(() => world);
    leftLocks(() => world);
    changedRepositories(() => world);
  });
}
