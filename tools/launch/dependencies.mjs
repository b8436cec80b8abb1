import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, LaunchError } from "./errors.mjs";
import { withLock } from "./lock.mjs";
import { CommandFailed, run, tail } from "./run.mjs";

/**
 * Runs `npm ci` unless node_modules already holds what package-lock.json says. The hash of the lock file, kept
 * inside node_modules, tells.
 * @param {string} folder the project
 * @param {{ cache: string, env: NodeJS.ProcessEnv, progress: import("./progress.mjs").Progress, signal: AbortSignal }} options
 */
export async function ensureDependencies(folder, { cache, env, progress, signal }) {
  const stamp = join(folder, "node_modules", ".holdfast-stamp");
  const wanted = sha256(await readFile(join(folder, "package-lock.json")));
  const done = async () => (await readFile(stamp, "utf8").catch(() => "")) === wanted;
  if (await done()) return;
  // Not in node_modules, which npm removes.
  const lock = join(cache, "locks", `npm-ci-${sha256(folder).slice(0, 16)}`);
  await withLock(lock, { task: "npm ci", progress, signal }, async () => {
    if (await done()) return;
    try {
      await progress.step("npm ci", () =>
        run("npm", ["ci", "--include=dev", "--no-progress"], { cwd: folder, env, signal }),
      );
    } catch (error) {
      signal.throwIfAborted();
      if (errorCode(error) === "ENOENT")
        throw new LaunchError("npm is not installed. Install it and run again.");
      if (!(error instanceof CommandFailed)) throw error;
      throw new LaunchError(
        `The project's npm packages could not be installed: ${error.message}\n${tail(error.output)}`,
        { cause: error },
      );
    }
    await writeFile(stamp, wanted);
  });
}

/** @param {string | Buffer} data */
function sha256(data) {
  return createHash("sha256").update(data).digest("hex");
}
