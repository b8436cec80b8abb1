import { spawn } from "node:child_process";
import { createCipheriv } from "node:crypto";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { basename, join } from "node:path";
import type { EngineName } from "../src/wire/capabilities.ts";
import { pinnedProgram } from "../tools/cluster/programs.ts";
import { peakOf } from "./peak.ts";

/** How many files of which sizes, in bytes. */
type Files = readonly { readonly files: number; readonly bytes: number }[];

/** 20,000 files of 600 MB in all: many small ones and some large ones. */
export const TREE: Files = [
  { files: 19_900, bytes: 10_000 },
  { files: 100, bytes: 4_000_000 },
];
/** 50,000 files of 5 GiB in all. */
export const LARGE_VOLUME: Files = [
  { files: 49_500, bytes: 30_000 },
  { files: 500, bytes: 7_767_418 },
];
export const MILLION: Files = [{ files: 1_000_000, bytes: 100 }];
const PER_FOLDER = 200;

/** Half of each file compresses well, the other not at all. */
export function buildGround(root: string, kinds: Files): { readonly files: number; readonly bytes: number } {
  const sizes = kinds.flatMap(({ files, bytes }) => Array<number>(files).fill(bytes));
  const noise = createCipheriv("aes-128-ctr", Buffer.alloc(16, 7), Buffer.alloc(16));
  for (const [i, bytes] of sizes.entries()) {
    const folder = join(root, `folder-${Math.floor(i / PER_FOLDER)}`);
    if (i % PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    const half = Math.floor(bytes / 2);
    const file = openSync(join(folder, `file-${i}`), "w");
    writeSync(file, noise.update(Buffer.alloc(half)));
    writeSync(file, Buffer.alloc(bytes - half, `This is line ${i} of a text that repeats itself.\n`));
    closeSync(file);
  }
  return { files: sizes.length, bytes: sizes.reduce((sum, bytes) => sum + bytes, 0) };
}

export const PASSWORD = "of the benchmark";

/** An engine as a person would use it by hand, with the same choices that the driver makes. */
export interface BareEngine {
  /** Makes a repository. */
  init(repository: string): Promise<void>;
  /** Each takes a repository that this process has not used before, as a new pod would, and says how long it took. */
  backup(repository: string, source: string): Promise<number>;
  /** Empties its cache of a repository. */
  forget(repository: string): void;
  /** The most memory that a run of it had, in MB. */
  peakMb(): number;
  /** The last snapshot of all, until it is on the disk: the mover says no sooner that it is done. */
  restore(repository: string, target: string): Promise<number>;
}

/** The commands of an engine; `home` is for its configuration and caches. */
export function bareEngine(name: EngineName, home: string): BareEngine {
  return name === "kopia" ? bareKopia(home) : bareRestic(home);
}

function bareKopia(home: string): BareEngine {
  const program = pinnedProgram("kopia");
  const env = {
    HOME: home,
    KOPIA_PASSWORD: PASSWORD,
    KOPIA_CHECK_FOR_UPDATES: "false",
    KOPIA_CONFIG_PATH: join(home, "repository.config"),
  };
  let peakMb = 0;
  const kopia = async (...args: readonly string[]) => {
    const done = await timed(
      program,
      [...args, "--no-auto-maintenance", "--disable-file-logging", "--no-use-keyring"],
      env,
    );
    peakMb = Math.max(peakMb, done.peakMb);
    return done;
  };
  const cacheOf = (repository: string) => join(home, basename(repository));
  const connect = (repository: string) => {
    rmSync(env.KOPIA_CONFIG_PATH, { force: true });
    const cache = `--cache-directory=${cacheOf(repository)}`;
    return kopia("repository", "connect", "filesystem", `--path=${repository}`, cache);
  };
  return {
    peakMb: () => peakMb,
    forget: (repository) => rmSync(cacheOf(repository), { recursive: true, force: true }),
    async init(repository) {
      await kopia("repository", "create", "filesystem", `--path=${repository}`);
      await kopia("policy", "set", "--global", "--compression=zstd");
    },
    async backup(repository, source) {
      const connected = await connect(repository);
      return connected.ms + (await kopia("snapshot", "create", source)).ms;
    },
    async restore(repository, target) {
      const connected = await connect(repository);
      const listed = await kopia("snapshot", "list", "--all", "--json");
      const snapshots = JSON.parse(listed.stdout) as readonly { readonly id: string }[];
      const args = ["restore", "--mode=local", "--write-sparse-files", snapshots.at(-1)?.id ?? "", target];
      return connected.ms + (await kopia(...args)).ms + (await onDisk(target));
    },
  };
}

function bareRestic(home: string): BareEngine {
  const program = pinnedProgram("restic");
  let peakMb = 0;
  const restic = async (repository: string, ...args: readonly string[]) => {
    const env = { HOME: home, RESTIC_PASSWORD: PASSWORD };
    const done = await timed(program, ["--no-cache", "--repo", repository, ...args], env);
    peakMb = Math.max(peakMb, done.peakMb);
    return done;
  };
  return {
    peakMb: () => peakMb,
    forget: () => {},
    async init(repository) {
      await restic(repository, "init");
    },
    async backup(repository, source) {
      return (await restic(repository, "backup", source)).ms;
    },
    async restore(repository, target) {
      const { ms } = await restic(repository, "restore", "latest", "--sparse", "--target", target);
      return ms + (await onDisk(target));
    },
  };
}

async function onDisk(target: string): Promise<number> {
  return (await timed("sync", ["--file-system", target], {})).ms;
}

async function timed(program: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const begun = performance.now();
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let words = "";
  let peakMb = 0;
  const sampling = setInterval(() => {
    peakMb = Math.max(peakMb, peakOf(child.pid ?? 0));
  }, 50);
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    words += chunk;
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  clearInterval(sampling);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}: ${words}`);
  return { ms: performance.now() - begun, stdout, peakMb };
}
