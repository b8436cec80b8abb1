import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { access, cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { projectFolder } from "./folders.mjs";
import { temporaryFolder } from "./testing.ts";

/** A project that has all it needs, whose `check` is the given program. */
async function project(program: string): Promise<string> {
  const folder = await temporaryFolder();
  const lock = "{}";
  await cp(join(projectFolder, "tools/launch"), join(folder, "tools/launch"), { recursive: true });
  await mkdir(join(folder, "tools/programs"));
  await mkdir(join(folder, "tools/run"));
  await mkdir(join(folder, "node_modules"));
  await writeFile(join(folder, "package-lock.json"), lock);
  await writeFile(
    join(folder, "node_modules/.holdfast-stamp"),
    createHash("sha256").update(lock).digest("hex"),
  );
  await writeFile(join(folder, ".node-version"), process.versions.node);
  await writeFile(join(folder, "tools/programs/programs.json"), "{}");
  await writeFile(join(folder, "tools/programs/modules.json"), "{}");
  await writeFile(join(folder, "tools/run/check.ts"), program);
  return folder;
}

function launch(folder: string, ...args: string[]) {
  const child = spawn(process.execPath, [join(folder, "tools/launch/launch.mjs"), ...args], {
    env: { ...process.env, HOLDFAST_CACHE: join(folder, "cache") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function outcome(child: ChildProcess) {
  let output = "";
  child.stdout?.on("data", (data) => {
    output += data;
  });
  child.stderr?.on("data", (data) => {
    output += data;
  });
  const [code, signal] = await once(child, "close");
  return { code, signal, output };
}

test("the launcher says nothing when there is nothing to do, and passes arguments and exit code on", async () => {
  const folder = await project("console.log(...process.argv.slice(2)); process.exitCode = 7;");
  expect(await outcome(launch(folder, "check", "a", "--b c"))).toEqual({
    code: 7,
    signal: null,
    output: "a --b c\n",
  });
});

test("the launcher hands on the cache, the programs and its Node", async () => {
  const folder = await project(
    "const { HOLDFAST_CACHE, HOLDFAST_PROGRAMS, PATH } = process.env;" +
      "console.log(JSON.stringify([HOLDFAST_CACHE, HOLDFAST_PROGRAMS, PATH?.split(':')[0]]));",
  );
  const { output } = await outcome(launch(folder, "check"));
  expect(JSON.parse(output)).toEqual([join(folder, "cache"), "{}", join(process.execPath, "..")]);
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "the launcher passes %s on, and ends as the command does",
  async (sent) => {
    const folder = await project(
      "process.on('SIGINT', () => process.exit(21)); process.on('SIGTERM', () => process.exit(22));" +
        "setInterval(() => {}, 1000); console.log('ready');",
    );
    const child = launch(folder, "check");
    await once(child.stdout, "data");
    child.kill(sent);
    expect(await outcome(child)).toMatchObject({ code: sent === "SIGINT" ? 21 : 22 });
  },
);

test("the launcher ends by the signal that ended the command", async () => {
  const folder = await project("process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);");
  expect(await outcome(launch(folder, "check"))).toMatchObject({ code: null, signal: "SIGTERM" });
});

test("the launcher that is interrupted while npm installs ends npm, and installs when it is run again", {
  timeout: 120_000,
}, async () => {
  const folder = await project("console.log('the command runs');");
  const about = { name: "interrupted", version: "1.0.0" };
  // Runs with the installation, and lasts until the folder says otherwise.
  const preinstall = "touch begun; while [ -e slow ]; do sleep 0.1; done; touch ended";
  await writeFile(join(folder, "package.json"), JSON.stringify({ ...about, scripts: { preinstall } }));
  const lock = { ...about, lockfileVersion: 3, requires: true, packages: { "": about } };
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
  await writeFile(join(folder, "slow"), "");
  const interrupted = launch(folder, "check");
  const first = outcome(interrupted);
  await vi.waitFor(() => access(join(folder, "begun")), { timeout: 60_000, interval: 50 });
  interrupted.kill("SIGINT");
  expect(await first).toMatchObject({ code: null, signal: "SIGINT" });
  await expect(access(join(folder, "ended"))).rejects.toThrow();
  await rm(join(folder, "slow"));
  const second = await outcome(launch(folder, "check"));
  expect(second).toMatchObject({ code: 0, signal: null });
  expect(second.output).toContain("the command runs\n");
  await access(join(folder, "ended"));
});

test("the launcher lists its commands when it does not know one", async () => {
  const { code, output } = await outcome(launch(await project(""), "chekc"));
  expect(code).toBe(1);
  expect(output).toContain('There is no command "chekc". The commands are:\n  start ');
  expect(output).toContain("\n  test:cluster  ");
});
