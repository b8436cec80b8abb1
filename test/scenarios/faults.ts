import { describe } from "vitest";
import { damagedRepositories } from "./faults_damage.ts";
import { fullDisks } from "./faults_full_disk.ts";
import { killedMovers } from "./faults_killed_mover.ts";
import { killedOperators } from "./faults_killed_operator.ts";
import { leftLocks } from "./faults_left_lock.ts";
import { LONG, Moments } from "./faults_moments.ts";
import { otherFileSystems } from "./faults_other_file_system.ts";
import { changedRepositories } from "./faults_repository.ts";
import { smallCaches } from "./faults_small_cache.ts";
import { illServers } from "./faults_storage_server.ts";
import { unmountedSources } from "./faults_unmounted_source.ts";
import { unseenMovers } from "./faults_unseen_mover.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

/** What goes wrong with storage: the same in every world. */
const STORAGE = [
  illServers,
  fullDisks,
  smallCaches,
  otherFileSystems,
  changedRepositories,
  damagedRepositories,
  unmountedSources,
] as const;

export interface FaultsOptions {
  /** Fewer faults in the usual run, and of storage another each time: for a world that is slow. Default false. */
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
    if (!brief || LONG) unseenMovers(() => world);
    for (const theme of brief && !LONG ? [new Moments(6).oneOf(STORAGE)] : STORAGE) theme(() => world);
  });
}
