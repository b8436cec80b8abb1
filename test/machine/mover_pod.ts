import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { vi } from "vitest";
import type { EngineName } from "../../src/wire/capabilities.ts";
import type { Answer, ProgressLine, ReportLine, Result } from "../../src/wire/report.ts";
import type { RepositorySpec, Work, WorkSpec } from "../../src/wire/work.ts";
import { testEngineEnv } from "../../tools/images/test_engines.ts";
import { bundle } from "../../tools/run/bundle.ts";

/** How a mover ended. */
export interface Ended {
  readonly code: number | null;
  readonly result: Result;
  /** What it left as its last words; undefined when nothing. */
  readonly words: Result | undefined;
  readonly lines: readonly ReportLine[];
}

/** A folder that stands for a mover's pod: what is mounted there, and the movers that run in it, one after another. */
export class MoverPod implements AsyncDisposable {
  readonly folder: string;
  readonly engine: EngineName;
  readonly #running = new Set<ChildProcess>();
  #runs = 0;

  static async make(engine: EngineName): Promise<MoverPod> {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-pod-"));
    for (const name of ["work", "password", "destination/password", "cache", "scratch", "volumes"])
      await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, "password/password"), "first secret\n");
    await writeFile(join(folder, "destination/password/password"), "second secret\n");
    // As it is shipped: one file.
    await bundle("src/main/mover.ts", folder, "mover");
    return new MoverPod(folder, engine);
  }

  constructor(folder: string, engine: EngineName) {
    this.folder = folder;
    this.engine = engine;
  }

  path(...parts: readonly string[]): string {
    return join(this.folder, ...parts);
  }

  /** Everything of the pod is mounted below this folder. */
  get env(): Record<string, string> {
    const map = {
      "/holdfast": this.folder,
      "/tmp": this.path("scratch"),
      "/dev/termination-log": this.path("termination"),
    };
    return {
      PATH: process.env.PATH ?? "",
      HOLDFAST_PATH_MAP: JSON.stringify(map),
      ...testEngineEnv(),
    };
  }

  /** Starts a mover and does not wait for it. `env`: what its container has besides. */
  async start(
    work: Work,
    more: Partial<WorkSpec> = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<RunningMover> {
    this.#runs += 1;
    const repository: RepositorySpec = { backend: { filesystem: { path: "/holdfast/repository" } } };
    const base = { version: 1, run: `run-${this.#runs}`, engine: this.engine, repository };
    await writeFile(this.path("work/work.json"), JSON.stringify({ ...base, work, ...more }));
    await writeFile(this.path("termination"), "");
    const child = spawn(process.execPath, [this.path("mover.mjs")], {
      env: { ...this.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
    });
    this.#running.add(child);
    child.once("close", () => this.#running.delete(child));
    return new RunningMover(child, this.path("termination"));
  }

  async run(
    work: Work,
    more: Partial<WorkSpec> = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    return (await this.start(work, more, env)).ended;
  }

  /** Runs a mover that must succeed. */
  async done<T extends Work>(
    work: T,
    more: Partial<WorkSpec> = {},
  ): Promise<Extract<Answer, Record<keyof T, unknown>>> {
    const { code, result } = await this.run(work, more);
    if (code !== 0 || !result.answer)
      throw new Error(`the mover ended with ${code}: ${JSON.stringify(result)}`);
    return result.answer as Extract<Answer, Record<keyof T, unknown>>;
  }

  /** A source in the pod's volumes. */
  source(name: string) {
    const path = `/holdfast/volumes/${name}`;
    return { name, path, identity: { username: "app", hostname: "shop", path } };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#running) if (child.pid) process.kill(-child.pid, "SIGKILL");
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A mover's process. */
export class RunningMover {
  readonly child: ChildProcess;
  readonly lines: ReportLine[] = [];
  readonly ended: Promise<Ended>;
  readonly #waiting = new Set<() => void>();

  constructor(child: ChildProcess, termination: string) {
    this.child = child;
    if (!child.stdout) throw new Error("no output");
    createInterface({ input: child.stdout }).on("line", (line) => {
      this.lines.push(JSON.parse(line) as ReportLine);
      for (const wake of this.#waiting) wake();
    });
    this.ended = new Promise((resolve) => {
      child.once("close", (code) => {
        for (const wake of this.#waiting) wake();
        const last = this.lines.at(-1);
        const words = readFileSync(termination, "utf8");
        resolve({
          code,
          result: (last && "result" in last ? last.result : {}) as Result,
          words: words === "" ? undefined : (JSON.parse(words) as Result),
          lines: this.lines,
        });
      });
    });
  }

  get progress(): readonly ProgressLine[] {
    return this.lines.flatMap((line) => ("progress" in line ? [line.progress] : []));
  }

  /** Waits until the progress shows it. */
  async until(seen: (progress: ProgressLine) => boolean): Promise<void> {
    while (!this.progress.some(seen)) {
      if (this.child.exitCode !== null) throw new Error(`it ended before: ${JSON.stringify(this.lines)}`);
      await new Promise<void>((wake) => {
        this.#waiting.add(wake);
        this.child.once("close", () => wake());
      });
    }
  }

  /**
   * Kills the mover and all that it started, as the end of its container would. Resolves when nothing of it is left: the
   * dead keep their numbers, by which restic knows the owner of a lock, until the system has buried them.
   */
  async kill(): Promise<void> {
    const { pid } = this.child;
    if (!pid) return;
    process.kill(-pid, "SIGKILL");
    await this.ended;
    await vi.waitUntil(() => !isThere(-pid), { timeout: 30_000, interval: 20 });
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
