import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineName } from "../src/wire/capabilities.ts";
import { type Answer, REPORT_VERSION, type Result } from "../src/wire/report.ts";
import type { MadeSnapshot } from "../src/wire/snapshot.ts";
import { WORK_VERSION, type Work, type WorkSpec } from "../src/wire/work.ts";
import { pinnedProgram } from "../tools/cluster/programs.ts";
import { bundle } from "../tools/run/bundle.ts";
import { type BareEngine, bareEngine, buildGround, PASSWORD } from "./engine_ground.ts";
import { atMost, type Figure, informs, median } from "./figures.ts";

const STARTS = 7;
const FIRST = 11;
const UNCHANGED = 9;
const RESTORES = 11;
const SOURCE = "/holdfast/volumes/data";

/**
 * The mover beside the commands that do the same by hand, on the same files in turn, with full fidelity. Neither side
 * pays for the other: they take turns in going first, and each begins when the disk has nothing left to write.
 */
export async function moverFigures(say: (line: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    const { path, bytes } = await bundle("src/main/mover.ts", folder, "mover");
    const source = join(folder, "pod/volumes/data");
    const ground = buildGround(source);
    say(`${ground.files} files, ${Math.round(ground.bytes / 1e6)} MB`);
    const figures: Figure[] = [atMost("size of the bundle", bytes / 1024, "KiB", 600)];
    for (const engine of ["kopia", "restic"] as const) {
      const pod = new Pod({ folder: join(folder, "pod"), program: path, engine });
      const bare = bareEngine(engine, join(folder, `home-${engine}`));
      mkdirSync(join(folder, `home-${engine}`));
      figures.push(...(await engineFigures({ engine, pod, bare, source, folder, say })));
    }
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Ground {
  readonly engine: EngineName;
  readonly pod: Pod;
  readonly bare: BareEngine;
  readonly source: string;
  readonly folder: string;
  readonly say: (line: string) => void;
}

async function engineFigures({ engine, pod, bare, source, folder, say }: Ground): Promise<Figure[]> {
  const repository = (side: string, round: number) => join(folder, `pod/${engine}-${side}-${round}`);
  let peak = 0;
  const run = async (work: Work, round: number) => {
    const done = await pod.run(work, repository("ours", round));
    peak = Math.max(peak, done.peakMb);
    return done;
  };
  // What the operator asks for when a BackupConfig says nothing else.
  const identity = { username: "app", hostname: "shop", path: engine === "restic" ? SOURCE : "/data" };
  const usual = { fidelity: "Full", unreadable: "Fail", ignore: { paths: ["/lost+found"] } } as const;
  const snapshot = { snapshot: { ...usual, sources: [{ name: "data", path: SOURCE, identity }] } };

  say(`${engine}: ${FIRST} first backups on each side`);
  for (let round = 0; round < FIRST; round++) {
    await bare.init(repository("bare", round));
    // restic measures anew, for each repository, how slowly a key is to be made of its password: both sides get the same.
    if (engine === "restic")
      cpSync(repository("bare", round), repository("ours", round), { recursive: true });
    await run({ init: { create: true } }, round);
  }
  const first = await inTurn(FIRST, {
    bare: (round) => bare.backup(repository("bare", round), source),
    ours: async (round) => (await run(snapshot, round)).ms,
  });

  say(`${engine}: ${UNCHANGED} backups of the same again`);
  let made: MadeSnapshot | undefined;
  const unchanged = await inTurn(UNCHANGED, {
    bare: () => bare.backup(repository("bare", 0), source),
    ours: async () => {
      const { ms, answer } = await run(snapshot, 0);
      made = (answer as Extract<Answer, { snapshot: unknown }>).snapshot.snapshots[0]?.snapshot;
      return ms;
    },
  });

  say(`${engine}: ${RESTORES} restores`);
  const reference = { id: made?.id ?? "", run: made?.run ?? "", identity };
  // Where files were deleted a moment ago, new ones take ext4 several times as long: all targets stay until the end.
  const target = (side: string, round: number) => `volumes/${engine}-${side}-${round}`;
  const restored = await inTurn(RESTORES, {
    // A volume is hardly ever restored twice from the same pod: neither side finds in a cache what it wrote there.
    bare: (round) => {
      bare.forget(repository("bare", 0));
      return bare.restore(repository("bare", 0), join(folder, "pod", target("bare", round)));
    },
    ours: async (round) => {
      pod.forget();
      const restore = { snapshot: reference, target: `/holdfast/${target("ours", round)}` };
      return (await run({ restore }, 0)).ms;
    },
  });

  say(`${engine}: ${STARTS} starts`);
  const starts: number[] = [];
  for (let i = 0; i < STARTS; i++) starts.push(await pod.engineStart(snapshot, repository("ours", 0)));
  for (let round = 0; round < FIRST; round++)
    for (const side of ["ours", "bare"]) rmSync(repository(side, round), { recursive: true });
  return [
    atMost(`${engine}: mover start to engine start`, median(starts), "ms", 150),
    atMost(`${engine}: the mover's own memory, at most`, peak, "MB", 60),
    informs(`${engine}: first backup`, first.ours, "ms"),
    informs(`${engine} by hand: first backup`, first.bare, "ms"),
    atMost(`${engine}: ratio of first backups`, first.ratio, "", 1.03),
    informs(`${engine}: unchanged backup`, unchanged.ours, "ms"),
    informs(`${engine} by hand: unchanged backup`, unchanged.bare, "ms"),
    atMost(`${engine}: unchanged backup, beyond by hand`, unchanged.beyond, "ms", 150),
    informs(`${engine}: restore, until it is on the disk`, restored.ours, "ms"),
    informs(`${engine} by hand: restore, and sync`, restored.bare, "ms"),
    atMost(`${engine}: ratio of restores`, restored.ratio, "", 1.03),
  ];
}

interface Sides<T> {
  readonly bare: T;
  readonly ours: T;
}

interface Compared extends Sides<number> {
  readonly ratio: number;
  /** How much longer ours took, in milliseconds. */
  readonly beyond: number;
}

/**
 * The medians of what each side says that it took, and of how the two of a round compare: from round to round a machine
 * and its disk may become slower or faster. Every other round the other one goes first.
 */
async function inTurn(rounds: number, sides: Sides<(round: number) => Promise<number>>): Promise<Compared> {
  const taken: Sides<number>[] = [];
  for (let round = 0; round < rounds; round++) {
    const ms = { bare: 0, ours: 0 };
    for (const side of round % 2 === 0 ? (["bare", "ours"] as const) : (["ours", "bare"] as const)) {
      execFileSync("sync");
      ms[side] = await sides[side](round);
    }
    taken.push(ms);
  }
  return {
    bare: median(taken.map(({ bare }) => bare)),
    ours: median(taken.map(({ ours }) => ours)),
    ratio: median(taken.map(({ bare, ours }) => ours / bare)),
    beyond: median(taken.map(({ bare, ours }) => ours - bare)),
  };
}

interface Done {
  readonly ms: number;
  /** The most memory that the mover itself had. */
  readonly peakMb: number;
  readonly answer: Answer | undefined;
}

/** A folder that stands for a mover's pod. */
class Pod {
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
    const sampling = setInterval(() => {
      peakMb = Math.max(peakMb, peakOf(child.pid ?? 0));
    }, 50);
    const { code, result } = await ended(child);
    const ms = performance.now() - begun;
    clearInterval(sampling);
    if (code !== 0) throw new Error(`the mover ended with ${code}: ${JSON.stringify(result)}`);
    if (result?.repository) this.#ids.set(repository, result.repository.id);
    return { ms, peakMb, answer: result?.answer };
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

/** The peak of a process's resident memory, in MB; 0 when it is gone. */
function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
