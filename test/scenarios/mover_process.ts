import { readdirSync, readFileSync } from "node:fs";
import type { WorkSpec } from "../../src/wire/work.ts";

/** The process of a run's mover, in whatever namespaces of this machine: it is told by the work spec that it sees. */
export function moverProcess(run: string): number {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (readOrNothing(`/proc/${pid}/cmdline`).includes("mover.mjs\0") && workOf(pid)?.run === run)
      return Number(pid);
  }
  throw new Error(`no process is the mover of ${run}`);
}

function workOf(pid: string): WorkSpec | undefined {
  const text = readOrNothing(`/proc/${pid}/root/holdfast/work/work.json`);
  return text === "" ? undefined : (JSON.parse(text) as WorkSpec);
}

/** Processes come and go while one looks. */
function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
