/* Node itself, and what the imports named in the arguments add to it. */
import { readFileSync } from "node:fs";

const imports: Readonly<Record<string, () => Promise<unknown>>> = {
  https: () => import("node:https"),
  metrics: () => import("../../src/observe/metrics.ts"),
  logs: () => import("../../src/observe/pino_logger.ts"),
  yaml: () => import("yaml"),
};
for (const name of process.argv.slice(2)) await imports[name]?.();
const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
process.stdout.write(`ready ${rss}\n`);
