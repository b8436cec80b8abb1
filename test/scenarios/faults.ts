import { describe } from "vitest";
import { fullDisks } from "./faults_full_disk.ts";
import { killedMovers } from "./faults_killed_mover.ts";
import { killedOperators } from "./faults_killed_operator.ts";
import { leftLocks } from "./faults_left_lock.ts";
import { LONG, Moments } from "./faults_moments.ts";
import { changedRepositories } from "./faults_repository.ts";
import { illServers } from "./faults_storage_server.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

/** What goes wrong with storage: the same in every world. */
const STORAGE = [illServers, fullDisks, changedRepositories] as const;

export interface FaultsOptions {
  /** Of storage, only one fault in the usual run, another each time: for a world that is slow. Default false. */
  readonly brief?: boolean;
}

/** What goes wrong around backups and restores; and that afterwards everything is as if it had not. */
export function faults(open: OpenWorld, { brief = false }: FaultsOptions = {}): void {
  let world: ScenarioWorld;

  withWorld(open, (opened) => {
    world = opened;
  });

  killedMovers(() => world);
  describe.concurrent("around it", () => {
    killedOperators(() => world);
    leftLocks(() => world);
    for (const theme of brief && !LONG ? [new Moments(6).oneOf(STORAGE)] : STORAGE) theme(() => world);
  });
}
