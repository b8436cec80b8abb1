import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ensureDependencies } from "./dependencies.mjs";
import { calm, recordedProgress, temporaryFolder, writeScript } from "./testing.ts";

/** A project, and an npm that notes how it was called. */
async function setting(npm = "") {
  const project = await temporaryFolder();
  const bin = join(project, "bin");
  await mkdir(bin);
  await writeFile(join(project, "package-lock.json"), "{}");
  await writeScript(join(bin, "npm"), `echo "$@" >> calls; mkdir -p node_modules\n${npm}`);
  const options = {
    cache: join(project, "cache"),
    env: { PATH: `${bin}:/usr/bin:/bin` },
    progress: recordedProgress(),
    signal: calm,
  };
  const calls = async () => (await readFile(join(project, "calls"), "utf8")).trim().split("\n");
  return { project, options, calls };
}

test("ensureDependencies() installs once, also when asked twice at the same time", async () => {
  const { project, options, calls } = await setting();
  await Promise.all([ensureDependencies(project, options), ensureDependencies(project, options)]);
  await ensureDependencies(project, options);
  expect(await calls()).toEqual(["ci --include=dev --no-progress"]);
});

test("ensureDependencies() installs again when the lock file has changed", async () => {
  const { project, options, calls } = await setting();
  await ensureDependencies(project, options);
  await writeFile(join(project, "package-lock.json"), '{"changed": true}');
  await ensureDependencies(project, options);
  expect(await calls()).toHaveLength(2);
});

test("ensureDependencies() shows why npm failed, and tries again the next time", async () => {
  const { project, options, calls } = await setting("echo npm error no such package >&2; exit 1");
  const message = "could not be installed: npm exited with 1\n    npm error no such package";
  await expect(ensureDependencies(project, options)).rejects.toThrow(message);
  await expect(ensureDependencies(project, options)).rejects.toThrow(message);
  expect(await calls()).toHaveLength(2);
});

test("ensureDependencies() ends npm when interrupted, and leaves no mark of success", async () => {
  const controller = new AbortController();
  const { project, options, calls } = await setting("exec sleep 600");
  const progress = {
    ...options.progress,
    step<T>(_: string, work: () => Promise<T>): Promise<T> {
      const result = work();
      controller.abort(new Error("enough"));
      return result;
    },
  };
  await expect(
    ensureDependencies(project, { ...options, progress, signal: controller.signal }),
  ).rejects.toThrow("enough");
  await writeScript(join(project, "bin", "npm"), "echo again >> calls; mkdir -p node_modules");
  await ensureDependencies(project, options);
  expect((await calls()).at(-1)).toBe("again");
});
