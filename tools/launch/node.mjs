import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, LaunchError } from "./errors.mjs";
import { allOnPath, isExecutable } from "./find_on_path.mjs";
import { withLock } from "./lock.mjs";
import { CommandFailed, run, tail } from "./run.mjs";

/**
 * The Node binary to go on with: the one that runs this if it will do, else the cached one, else another on PATH,
 * else npm's.
 * @param {string} wanted exact version
 * @param {{ cache: string, env: NodeJS.ProcessEnv, progress: import("./progress.mjs").Progress, signal: AbortSignal }} options
 * @returns {Promise<string>}
 */
export async function ensureNode(wanted, { cache, env, progress, signal }) {
  if (isGoodEnough(process.versions.node, wanted)) return process.execPath;
  const folder = join(cache, "node", wanted);
  const binary = join(folder, "bin", "node");
  if (await isExecutable(binary)) return binary;
  const other = await findNode(wanted, { env, signal });
  if (other !== undefined) return other;
  return withLock(`${folder}.lock`, { task: `installing Node ${wanted}`, progress, signal }, async () => {
    if (await isExecutable(binary)) return binary;
    await progress.step(`installing Node ${wanted}`, () => install(wanted, folder, { env, signal }));
    return binary;
  });
}

/**
 * Whether a Node of version `has` runs what was written for `wanted`: the same major version, not an older minor.
 * @param {string} has
 * @param {string} wanted
 */
export function isGoodEnough(has, wanted) {
  const [major, minor] = has.split(".").map(Number);
  const [wantedMajor, wantedMinor] = wanted.split(".").map(Number);
  return major === wantedMajor && Number(minor) >= Number(wantedMinor);
}

/**
 * A Node on PATH that will do, behind the one that runs this.
 * @param {string} wanted
 * @param {{ env: NodeJS.ProcessEnv, signal: AbortSignal }} options
 * @returns {Promise<string | undefined>}
 */
async function findNode(wanted, { env, signal }) {
  for await (const path of allOnPath("node", env)) {
    // One that does not even tell its version is none.
    const version = await run(path, ["--version"], { env, signal }).catch(() => "");
    signal.throwIfAborted();
    if (isGoodEnough(version.trim().replace(/^v/, ""), wanted)) return path;
  }
  return undefined;
}

/**
 * @param {string} version
 * @param {string} folder
 * @param {{ env: NodeJS.ProcessEnv, signal: AbortSignal }} options
 */
async function install(version, folder, { env, signal }) {
  const name = `node-${process.platform}-${process.arch}`;
  const work = `${folder}.work`;
  try {
    await rm(work, { recursive: true, force: true });
    await mkdir(join(work, "node"), { recursive: true });
    await run("npm", ["pack", "--silent", `${name}@${version}`, "--pack-destination", work], {
      cwd: work,
      env,
      signal,
    });
    const archive = (await readdir(work)).find((file) => file.endsWith(".tgz")) ?? `${name}.tgz`;
    await run("tar", ["-xzf", join(work, archive), "-C", join(work, "node"), "--strip-components=1"], {
      signal,
    });
    await run(join(work, "node", "bin", "node"), ["--version"], { env, signal });
    await rm(folder, { recursive: true, force: true });
    await rename(join(work, "node"), folder);
  } catch (error) {
    signal.throwIfAborted();
    const why =
      error instanceof CommandFailed
        ? `${error.message}\n${tail(error.output)}`
        : (errorCode(error) ?? error);
    throw new LaunchError(
      `Node ${version} is needed, and npm's package ${name}@${version} could not be installed: ${why}\n` +
        `Install Node ${version} (https://nodejs.org/download/release/v${version}/) so that it is on PATH, and run again.`,
      { cause: error },
    );
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
