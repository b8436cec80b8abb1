import { readdirSync, readFileSync } from "node:fs";
import type { WorkSpec } from "../../src/wire/work.ts";

/** The process of a run's mover, in whatever namespaces of this machine: it is told by the work spec that it sees. */
export function moverProcess(run: string): number {
  const isOfMover = (command: string) => command.includes("mover.mjs\0");
  const pid = processesWith(isOfMover).find((one) => workOf(one)?.run === run);
  if (pid === undefined) throw new Error(`no process is the mover of ${run}`);
  return pid;
}

/** The processes of this machine by their command lines, each of whose words ends with a zero byte. */
export function processesWith(command: (line: string) => boolean): readonly number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => command(readOrNothing(`/proc/${pid}/cmdline`))).map(Number);
}

/** What the mover is told to do in whose pod this process is. */
export function workOf(pid: number): WorkSpec | undefined {
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
