import { afterAll, beforeAll } from "vitest";
import { killedMovers } from "./faults_killed_mover.ts";
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
}
