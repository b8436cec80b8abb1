import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { restic } from "../../../test/engines/restic_engine.ts";
import { systemStreamedProcesses } from "../../lib/streamed_process.ts";
import { FidelityProgram } from "../fidelity/fidelity_program.ts";
import { Gate } from "./gate.ts";

let folder: string;
let gate: Gate;

function helper(): FidelityProgram {
  const { "holdfast-fidelity": program = "" } = restic.programs();
  return new FidelityProgram(program, systemStreamedProcesses);
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hf-"));
  const path = join(folder, "gate");
  await helper().pipe(path);
  gate = new Gate(path);
});
afterEach(async () => {
  gate.refuse();
  await rm(folder, { recursive: true, force: true });
});

test("whoever reads it waits until it is opened, and finds both files empty", async () => {
  const read: string[] = [];
  const reading = (async () => {
    for (const path of gate.paths) read.push(await readFile(path, "utf8"));
  })();
  await new Promise((wake) => setTimeout(wake, 100));
  expect(read).toEqual([]);
  gate.open();
  await reading;
  expect(read).toEqual(["", ""]);
});

test("whoever comes when it is open does not wait", async () => {
  gate.open();
  gate.open();
  gate.refuse();
  expect(await Promise.all(gate.paths.map((path) => readFile(path, "utf8")))).toEqual(["", ""]);
});

describe("restic, which waits there with its lock,", { timeout: 60_000 }, () => {
  let env: NodeJS.ProcessEnv;
  const { restic: program = "" } = restic.programs();
  const inRepository = (...names: readonly string[]) => readdir(join(folder, "repository", ...names));
  /** A restic that has come to the gate, and its exit code. */
  const waiting = async (paths: readonly string[] = gate.paths) => {
    const excludes = paths.flatMap((path) => ["--exclude-file", path]);
    const running = spawn(program, ["backup", ...excludes, import.meta.filename], { env, stdio: "ignore" });
    const ended = once(running, "close").then(([code]) => code);
    await expect.poll(() => filesOf(running.pid)).toContain(paths[0]);
    expect(await inRepository("locks")).toHaveLength(1);
    return { ended };
  };
  beforeEach(async () => {
    env = {
      ...{ RESTIC_PASSWORD: "of this test", RESTIC_REPOSITORY: join(folder, "repository") },
      ...{ RESTIC_CACHE_DIR: join(folder, "cache"), HOME: folder },
    };
    execFileSync(program, ["init"], { env });
  });

  test("takes a snapshot once it is opened", async () => {
    const { ended } = await waiting();
    gate.open();
    expect(await ended).toBe(0);
    expect(await inRepository("snapshots")).toHaveLength(1);
  });

  test("ends without one when it is refused", async () => {
    const { ended } = await waiting();
    gate.refuse();
    expect(await ended).not.toBe(0);
    expect([await inRepository("snapshots"), await inRepository("locks")]).toEqual([[], []]);
  });

  test("ends without one when whoever was to open it is killed", async () => {
    const pipe = join(folder, "another");
    await helper().pipe(pipe);
    const keeper = spawn(process.execPath, ["--input-type=module", "--eval", KEEPER, GATE, pipe], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [told] = await once(keeper.stdout, "data");
    const { ended } = await waiting(JSON.parse(String(told)));
    keeper.kill("SIGKILL");
    expect(await ended).not.toBe(0);
    expect([await inRepository("snapshots"), await inRepository("locks")]).toEqual([[], []]);
  });
});

/** Whatever a process has open. */
async function filesOf(pid = 0): Promise<readonly string[]> {
  const names = await readdir(`/proc/${pid}/fd`);
  return Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => "")));
}

const GATE = new URL("./gate.ts", import.meta.url).href;
/** Keeps a gate shut, and says where it is. */
const KEEPER = `
  const [module, pipe] = process.argv.slice(1);
  const { Gate } = await import(module);
  const gate = new Gate(pipe);
  console.log(JSON.stringify(gate.paths));
  setInterval(() => gate.paths, 60_000);
`;
