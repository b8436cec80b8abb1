import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EngineName } from "../src/wire/capabilities.ts";
import { type Answer, REPORT_VERSION, type Result } from "../src/wire/report.ts";
import { WORK_VERSION, type Work, type WorkSpec } from "../src/wire/work.ts";
import { pinnedProgram } from "../tools/cluster/programs.ts";
import { PASSWORD } from "./engine_ground.ts";
import { peakOf } from "./peak.ts";

export interface Done {
  readonly ms: number;
  /** The most memory that the mover itself had. */
  readonly peakMb: number;
  /** The most that it had together with the largest program that it ran. */
  readonly treeMb: number;
  readonly answer: Answer | undefined;
}

/** A folder that stands for a mover's pod. */
export class Pod {
  readonly #folder: string;
  readonly #program: string;
  readonly #engine: EngineName;
  /** By the repository's path. */
  readonly #ids = new Map<string, string>();
  #runs = 0;

  constructor({ folder, program, engine }: { folder: string; program: string; engine: EngineName }) {
    this.#folder = folder;
    this.#program = program;
    this.#engine = engine;
    for (const name of ["work", "password", "cache", "scratch"])
      mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, "password/password"), PASSWORD);
  }

  async run(work: Work, repository: string): Promise<Done> {
    const begun = performance.now();
    const child = this.#start(work, repository);
    let peakMb = 0;
    let engineMb = 0;
    const sampling = setInterval(() => {
      peakMb = Math.max(peakMb, peakOf(child.pid ?? 0));
      for (const pid of childrenOf(child.pid ?? 0)) engineMb = Math.max(engineMb, peakOf(pid));
    }, 50);
    const { code, result } = await ended(child);
    const ms = performance.now() - begun;
    clearInterval(sampling);
    if (code !== 0) throw new Error(`the mover ended with ${code}: ${JSON.stringify(result)}`);
    if (result?.repository) this.#ids.set(repository, result.repository.id);
    return { ms, peakMb, treeMb: peakMb + engineMb, answer: result?.answer };
  }

  /** Empties its cache. */
  forget(): void {
    rmSync(join(this.#folder, "cache"), { recursive: true, force: true });
    mkdirSync(join(this.#folder, "cache"));
  }

  /** How long it takes a mover until it starts its engine for the first time. */
  async engineStart(work: Work, repository: string): Promise<number> {
    const stamp = join(this.#folder, "stamp");
    const wrapper = join(this.#folder, "wrapper");
    rmSync(stamp, { force: true });
    const program = pinnedProgram(this.#engine);
    writeFileSync(wrapper, `#!/bin/sh\n[ -e ${stamp} ] || date +%s%N > ${stamp}\nexec ${program} "$@"\n`);
    chmodSync(wrapper, 0o755);
    const begun = performance.timeOrigin + performance.now();
    await ended(this.#start(work, repository, { [`HOLDFAST_${this.#engine.toUpperCase()}`]: wrapper }));
    return Number(readFileSync(stamp, "utf8")) / 1e6 - begun;
  }

  #start(work: Work, repository: string, more: Readonly<Record<string, string>> = {}): ChildProcess {
    const folder = this.#folder;
    const map = { [repository]: repository, "/holdfast": folder, "/tmp": join(folder, "scratch") };
    const backend = { filesystem: { path: repository } };
    const expectedId = this.#ids.get(repository);
    this.#runs += 1;
    const spec: WorkSpec = {
      version: WORK_VERSION,
      run: `bench-${this.#runs}`,
      engine: this.#engine,
      repository: { backend, ...(expectedId === undefined ? {} : { expectedId }) },
      work,
    };
    writeFileSync(join(folder, "work/work.json"), JSON.stringify(spec));
    return spawn(process.execPath, [this.#program], {
      env: {
        PATH: process.env.PATH,
        HOLDFAST_PATH_MAP: JSON.stringify(map),
        HOLDFAST_KOPIA: pinnedProgram("kopia"),
        HOLDFAST_RESTIC: pinnedProgram("restic"),
        HOLDFAST_FIDELITY: pinnedProgram("holdfast-fidelity"),
        ...more,
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
  }
}

async function ended(child: ChildProcess): Promise<{ readonly code: unknown; readonly result?: Result }> {
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  const last: { result?: Result } = JSON.parse(output.trimEnd().split("\n").at(-1) ?? "{}");
  if (last.result && last.result.version !== REPORT_VERSION) throw new Error("a report of another version");
  return { code, ...(last.result ? { result: last.result } : {}) };
}

function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return text === "" ? [] : text.split(" ").map(Number);
  } catch {
    return [];
  }
}
