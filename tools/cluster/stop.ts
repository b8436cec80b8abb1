import { existsSync } from "node:fs";
import { fingerprint } from "../../src/lib/hash.ts";
import { processesWith, processState, signal } from "../../src/lib/process_identity.ts";
import { removeCgroup } from "./cgroups.ts";
import { MARK } from "./launch.ts";
import { disconnectNode } from "./network.ts";
import { until } from "./until.ts";

/** The name of what a cluster's node owns on the machine: its network link and its cgroup. */
export function markOf(directory: string): string {
  return `hf-${fingerprint(directory, 10)}`;
}

/**
 * Ends everything that runs for a cluster, whatever state it is in and whether or not its record is there. The
 * data stays: etcd and containerd take this for a power cut, which they survive.
 */
export async function stopEverything(directory: string): Promise<void> {
  for (;;) {
    const processes = processesWith(MARK, directory);
    if (processes.length === 0) break;
    for (const process of processes) signal(process, "SIGKILL");
    await until(
      "the cluster's processes have ended",
      () => processes.every((p) => processState(p) === "dead"),
      {
        timeout: 30_000,
      },
    );
  }
  const mark = markOf(directory);
  if (existsSync(`/sys/class/net/${mark}`)) await disconnectNode(mark);
  await until("the pods' cgroups are empty", () => removeCgroup(mark), { timeout: 30_000 });
}
