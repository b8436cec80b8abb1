import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock as clock } from "../lib/clock.ts";
import { systemRandom as random } from "../lib/random.ts";
import type { StreamedProcesses } from "../lib/streamed_process.ts";
import { engineMaker } from "./engine_maker.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-maker-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What the engine would start first, and with which environment. */
async function firstCommand(name: "kopia" | "restic", env: Record<string, string>) {
  const started: { command: string; env: Readonly<Record<string, string>> }[] = [];
  const processes: StreamedProcesses = {
    start: async (command, _, options) => {
      started.push({ command, env: options.env });
      throw new Error("not today");
    },
  };
  const make = engineMaker({ env, processes, clock, random });
  const room = { folder: join(folder, "own"), cacheFolder: join(folder, "cache"), env: { GOMEMLIMIT: "5" } };
  const engine = await make(name, room);
  expect(engine.name).toBe(name);
  const location = { backend: { filesystem: { path: join(folder, "r") } }, credentials: {}, password: "x" };
  await expect(engine.open(location)).rejects.toMatchObject({ class: "EngineMissing" });
  return started[0];
}

describe.each(["kopia", "restic"] as const)("engineMaker() for %s", (name) => {
  test("finds the program on PATH, and passes on what engines need", async () => {
    mkdirSync(join(folder, "bin"));
    writeFileSync(join(folder, "bin", name), "");
    chmodSync(join(folder, "bin", name), 0o755);
    const PATH = `/nowhere:${join(folder, "bin")}`;
    const found = await firstCommand(name, { PATH, HTTPS_PROXY: "http://p", OTHER: "x" });
    expect(found?.command).toBe(join(folder, "bin", name));
    expect(found?.env).toMatchObject({ PATH, HTTPS_PROXY: "http://p", GOMEMLIMIT: "5", TZ: "UTC" });
    expect(found?.env).not.toHaveProperty("OTHER");
  });

  test("takes the program that the environment names, and limits that someone set", async () => {
    const variable = `HOLDFAST_${name.toUpperCase()}`;
    const found = await firstCommand(name, { [variable]: "/opt/it", GOMEMLIMIT: "9" });
    expect(found?.command).toBe("/opt/it");
    expect(found?.env.GOMEMLIMIT).toBe("9");
  });
});
