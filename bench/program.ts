import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

/** As the programs are started for people: see tools/launch/commands.mjs. */
const FLAGS = ["--max-semi-space-size=2"];

/** Resident memory of a process, in MB. */
export function rssOf(pid: number): number {
  return megabytes(pid, "VmRSS");
}

function megabytes(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

/** Processor time that a process has used, in milliseconds: the kernel counts in hundredths of a second. */
function cpuOf(pid: number): number {
  const [, rest = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const fields = rest.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export interface ProgramOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Of Node itself. Default: those of `npm start`. */
  readonly flags?: readonly string[];
  /** What Node made of the sources is kept for the next start. Default true. */
  readonly compileCache?: boolean;
}

/** A program of ours in a process of its own, bundled as it would be shipped. */
export class Program {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(path: string, args: readonly string[], options: ProgramOptions = {}) {
    const { env = process.env, flags = FLAGS, compileCache = true } = options;
    this.#child = spawn(process.execPath, [...flags, path, ...args], {
      env: { ...env, ...(compileCache ? { NODE_COMPILE_CACHE: join(dirname(path), "compiled") } : {}) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (!this.#child.stdout) throw new Error("no output");
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      this.#lines.push(line);
      for (const wake of this.#waiting) wake();
    });
  }

  /** Resident memory, in MB. */
  get rss(): number {
    return rssOf(this.#child.pid ?? 0);
  }

  /** The most that it has been, in MB. */
  get mostRss(): number {
    return megabytes(this.#child.pid ?? 0, "VmHWM");
  }

  /** Processor time used so far, in milliseconds. */
  get cpu(): number {
    return cpuOf(this.#child.pid ?? 0);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** The next line that matches; lines are used up. */
  async line(matches: (line: string) => boolean): Promise<string> {
    for (;;) {
      const at = this.#lines.findIndex(matches);
      if (at >= 0) return this.#lines.splice(0, at + 1)[at] as string;
      const { exitCode, signalCode } = this.#child;
      if (exitCode !== null || signalCode !== null)
        throw new Error(`the program ended with ${exitCode ?? signalCode}`);
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
        this.#child.once("close", wake);
      });
    }
  }

  /** Ends it, unless it has ended by itself. */
  async end(how: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = new Promise((resolve) => this.#child.once("close", resolve));
    this.signal(how);
    await closed;
  }
}
