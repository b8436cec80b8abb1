import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { hostname } from "node:os";
import { expect, test } from "vitest";
import { restic } from "../../../test/engines/restic_engine.ts";
import { Ground } from "../testing/ground.ts";

test("unlock() removes a lock of a host that is gone, and only where no other is", {
  timeout: 60_000,
}, async () => {
  await using ground = await Ground.make(restic);
  const repository = await ground.repository();
  const { restic: program = "" } = restic.programs();
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
