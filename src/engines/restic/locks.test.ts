import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { hostname } from "node:os";
import { expect, test } from "vitest";
import { restic, resticProgram } from "../../../test/engines/restic_engine.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { Ground } from "../testing/ground.ts";
import { printingProcesses } from "../testing/printing_processes.ts";
import { unlock } from "./locks.ts";

test("unlock() removes a lock of a host that is gone, and only where no other is", {
  timeout: 60_000,
}, async () => {
  await using ground = await Ground.make(restic);
  const repository = await ground.repository();
  const program = resticProgram();
  const env = {
    RESTIC_PASSWORD: ground.password,
    RESTIC_REPOSITORY: ground.path("repository"),
    HOME: ground.folder,
  };
  // Nothing comes, so it holds its lock until it is ended.
  const holder = spawn(program, ["backup", "--stdin", "--no-cache"], {
    env,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const locks = () => readdir(ground.path("repository", "locks"));
  try {
    while ((await locks()).length === 0) await new Promise((wake) => setTimeout(wake, 20));
    expect(await repository.unlock()).toBe(0);
    expect(await repository.unlock({ gone: ["another"] })).toBe(0);
    expect(await locks()).toHaveLength(1);
    expect(await repository.unlock({ gone: ["another", hostname()] })).toBe(1);
    expect(await locks()).toEqual([]);
  } finally {
    const ended = new Promise((end) => holder.once("close", end));
    holder.kill("SIGKILL");
    await ended;
  }
});

test.each([
  ["where it is alone", ["--remove-all"], 1, []],
  ["unless another comes while it is asked for", [], 0, ["of-the-living"]],
])("unlock() removes the lock of the dead %s", async (_, removed, count, comes) => {
  const locks = ["of-the-dead"];
  const given: string[] = [];
  const processes = printingProcesses((args) => {
    if (args.includes("unlock")) given.push(...args.slice(1));
    if (args.includes("--remove-all")) locks.length = 0;
    const said = locks.map((lock) => `${lock}\n`);
    if (!args.includes("cat")) return args.includes("list") ? said : [];
    locks.push(...comes);
    return [JSON.stringify({ hostname: "dead" })];
  });
  const program = { program: "restic", args: [], env: {}, clock: new VirtualClock(), processes };
  expect(await unlock(program, { gone: ["dead"] })).toBe(count);
  expect(given).toEqual(removed);
});
