import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type Pod, Pods } from "../src/kube/builtin.ts";
import type { Client } from "../src/kube/client.ts";
import { HOME } from "../test/cluster/velero_stage.ts";
import { peakOf } from "./peak.ts";

const LOOK_AGAIN = 250;

/** The most memory that pods in Velero's namespace have while something goes on: of the node agent, and of one mover. */
export class PodMemory {
  readonly #client: Client;
  agentMb = 0;
  moverMb = 0;
  mostMovers = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  get mostMb(): number {
    return this.agentMb + this.moverMb;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const watching = this.#watch(stop.signal);
    try {
      return await work();
    } finally {
      stop.abort();
      await watching;
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { items } = await this.#client.list(Pods, { namespace: HOME });
      const peaks = peaksOfPods();
      const movers = items.filter((pod) => !isAgent(pod) && !isMaintenance(pod));
      const peak = (pod: Pod) => peaks.get(pod.metadata.uid) ?? 0;
      this.mostMovers = Math.max(this.mostMovers, movers.filter(isAlive).length);
      this.moverMb = Math.max(this.moverMb, ...movers.map(peak));
      this.agentMb = Math.max(this.agentMb, ...items.filter(isAgent).map(peak));
      await pause(LOOK_AGAIN);
    }
  }
}

function isAgent({ metadata }: Pod): boolean {
  return metadata.labels?.role === "node-agent";
}

/** Of a Velero server's own, whichever node agent there is. */
function isMaintenance({ metadata }: Pod): boolean {
  return metadata.labels?.["velero.io/repo-name"] !== undefined;
}

function isAlive({ status }: Pod): boolean {
  return status?.phase === "Pending" || status?.phase === "Running";
}

/** By the UID of each pod: what its processes have had at most, in MB. */
function peaksOfPods(): ReadonlyMap<string, number> {
  const peaks = new Map<string, number>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const uid = podOf(pid);
    if (uid) peaks.set(uid, (peaks.get(uid) ?? 0) + peakOf(Number(pid)));
  }
  return peaks;
}

function podOf(pid: string): string | undefined {
  try {
    return /\/pod([0-9a-f-]{36})/.exec(readFileSync(`/proc/${pid}/cgroup`, "utf8"))?.[1];
  } catch {
    // It ended while it was looked at.
    return undefined;
  }
}
