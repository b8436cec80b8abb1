// A setup file of vitest: it says of each file of tests how long processors worked for it.
import { readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { afterAll } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    processorSeconds?: number;
  }
}

/** The kernel counts in hundredths of a second, on every machine that it shows to programs. */
const TICKS = 100;

const before = processorSeconds();

// Hooks end in reverse order: what the file's own take down is counted.
// biome-ignore lint/correctness/noEmptyPattern: vitest reads from this pattern that no fixtures are wanted
afterAll(({}, { file }) => {
  file.meta.processorSeconds = processorSeconds() - before;
});

/** A process has a file to itself and counts its children, too; threads share their process, and have none. */
function processorSeconds(): number {
  const { user, system } = isMainThread ? process.cpuUsage() : process.threadCpuUsage();
  return (user + system) / 1e6 + (isMainThread ? ofChildren() : 0);
}

/** Of all processes that were started from here, and from there, and have ended. */
function ofChildren(): number {
  if (process.platform !== "linux") return 0;
  const stat = readFileSync("/proc/self/stat", "utf8");
  // What stands before is the program's name, with whatever is in it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
}
