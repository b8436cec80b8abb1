import { readFileSync } from "node:fs";

/** What a process has used so far. One that waits uses nothing, or next to it. */
export interface Effort {
  /** Of processors. */
  readonly cpuMs: number;
  /** Read and written: files, pipes and sockets. */
  readonly bytes: number;
}

/** Linux counts a process's time in these, whatever its clock. */
const TICK_MS = 10;

/** Undefined once it has ended, and where the system does not say. */
export function effortOf(
  pid: number,
  read: (path: string) => string = (path) => readFileSync(path, "utf8"),
): Effort | undefined {
  try {
    const stat = read(`/proc/${pid}/stat`);
    // Its name comes before, in parentheses, and may hold anything.
    const [user = Number.NaN, system = Number.NaN] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13)
      .map(Number);
    const io = read(`/proc/${pid}/io`);
    const count = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(io)?.[1]);
    const effort = { cpuMs: (user + system) * TICK_MS, bytes: count("rchar") + count("wchar") };
    return Number.isNaN(effort.cpuMs + effort.bytes) ? undefined : effort;
  } catch {
    return undefined;
  }
}
