import { readdirSync, readFileSync } from "node:fs";

/** A process of a pod, as this machine counts it. */
export interface PodProcess {
  readonly pid: number;
  /** The first of its container: with it, everything in the container ends. */
  readonly first: boolean;
}

/** The processes for which the text of a file in /proc, such as `cgroup`, holds the mark. */
export function processesMarked(file: "cgroup" | "mountinfo", mark: string): readonly PodProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        if (!readFileSync(`/proc/${name}/${file}`, "utf8").includes(mark)) return [];
        const inside = /^NSpid:.*\s(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1];
        const program = readFileSync(`/proc/${name}/comm`, "utf8").trim();
        return program === "pause" ? [] : [{ pid: Number(name), first: inside === "1" }];
      } catch {
        // It ended while it was looked at.
        return [];
      }
    });
}

/** Nothing happens to one that has ended. */
export function killProcess(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** The first before the others: a mover that sees its engine die would report that. */
export function killAll(processes: readonly PodProcess[]): void {
  for (const { pid } of processes.toSorted((a, b) => Number(b.first) - Number(a.first))) killProcess(pid);
}
