import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { eventually } from "../world.ts";
import type { MirrorLine, MirrorSettings } from "./program.ts";

/** The sample program in a process of its own, as a replica of an operator is. */
export class RunningMirror {
  readonly identity: string;
  readonly lines: MirrorLine[] = [];
  readonly #child: ChildProcess;
  readonly exited: Promise<number | null>;

  constructor(settings: MirrorSettings) {
    this.identity = settings.identity;
    const program = fileURLToPath(new URL("./program.ts", import.meta.url));
    this.#child = spawn(process.execPath, [program, JSON.stringify(settings)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const { stdout } = this.#child;
    if (stdout)
      createInterface({ input: stdout }).on("line", (line) =>
        this.lines.push(JSON.parse(line) as MirrorLine),
      );
    this.exited = new Promise((resolve) => this.#child.once("close", (code) => resolve(code)));
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  get leading(): boolean {
    return this.lines.some((line) => line.event === "leading");
  }

  count(event: MirrorLine["event"]): number {
    return this.lines.filter((line) => line.event === event).length;
  }

  /** The versions that its caches hold at this moment. */
  async caches(): Promise<{ sources: Record<string, string>; targets: Record<string, string> }> {
    const before = this.count("cache");
    this.signal("SIGUSR2");
    await eventually(`${this.identity} shows its caches`, () => this.count("cache") > before);
    const last = this.lines.findLast((line) => line.event === "cache");
    if (last?.event !== "cache") throw new Error("no cache line");
    return last;
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.signal("SIGCONT");
    this.signal("SIGKILL");
    await this.exited;
  }
}

/** Every pair of reconciles of one key that ran at the same time, in whatever process. */
export function overlaps(mirrors: readonly RunningMirror[]): string[] {
  const intervals = new Map<string, { from: number; to: number; who: string }[]>();
  for (const { lines, identity } of mirrors) {
    const open = new Map<string, readonly number[]>();
    for (const line of lines) {
      if (line.event === "begin") open.set(line.key, [...(open.get(line.key) ?? []), line.at]);
      else if (line.event === "end") {
        const [from = line.at, ...others] = open.get(line.key) ?? [];
        intervals.set(line.key, [...(intervals.get(line.key) ?? []), { from, to: line.at, who: identity }]);
        open.set(line.key, others);
      }
    }
  }
  const found: string[] = [];
  for (const [key, list] of intervals) {
    const sorted = list.toSorted((a, b) => a.from - b.from);
    for (const [i, next] of sorted.entries()) {
      const previous = sorted[i - 1];
      if (previous && next.from < previous.to) found.push(`${key}: ${previous.who} and ${next.who}`);
    }
  }
  return found;
}
