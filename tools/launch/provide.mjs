import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { BuildFailed, build } from "./build.mjs";
import { DownloadFailed, download } from "./download.mjs";
import { isExecutable } from "./find_on_path.mjs";
import { withLock } from "./lock.mjs";

/**
 * @typedef {import("./pinned_programs.mjs").Program} Program
 */

/**
 * @typedef {object} Surroundings what providing a program works with
 * @property {string} cache
 * @property {NodeJS.ProcessEnv} env
 * @property {import("./progress.mjs").Progress} progress
 * @property {Set<string>} silentHosts hosts found out of reach in this run, not to be asked again
 * @property {AbortSignal} signal
 */

/** A program could be neither downloaded nor built; the message says why. */
export class CannotProvide extends Error {
  /** @override */
  name = "CannotProvide";
}

/**
 * Where the cache keeps a program.
 * @param {Program} program
 * @param {string} cache
 */
export function cachedPath({ name, version, executable = name }, cache) {
  return join(cache, "programs", name, version, executable);
}

/**
 * Downloads the program into the cache, or builds it there, and returns its path. What an interrupted run left
 * behind is removed; a program appears under its name only when it is whole.
 * @param {Program} program
 * @param {Surroundings} surroundings
 * @returns {Promise<string>}
 */
export async function provide(program, surroundings) {
  const { cache, progress, signal } = surroundings;
  const path = cachedPath(program, cache);
  const folder = dirname(dirname(path));
  const task = `providing ${program.name} ${program.version}`;
  return withLock(join(folder, ".lock"), { task, progress, signal }, async () => {
    if (await isExecutable(path)) return path;
    await removeWork(folder);
    const work = join(folder, `.work-${process.pid}`);
    try {
      await mkdir(work);
      await mkdir(dirname(path), { recursive: true });
      await rename(await downloadOrBuild(program, work, surroundings), path);
    } finally {
      await remove(work);
    }
    return path;
  });
}

/** @param {string} folder */
async function removeWork(folder) {
  for (const entry of await readdir(folder)) {
    if (entry.startsWith(".work-")) await remove(join(folder, entry));
  }
}

/**
 * Removes a folder, also when the compilers of a Go that was just ended still write there.
 * @param {string} folder
 */
function remove(folder) {
  return rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

/**
 * @param {Program} program
 * @param {string} work
 * @param {Surroundings} surroundings
 */
async function downloadOrBuild(program, work, { env, progress, silentHosts, signal }) {
  const label = `${program.name} ${program.version}`;
  const { release } = program;
  let noDownload = whyNoDownload(release, env, silentHosts);
  if (release && noDownload === undefined) {
    try {
      return await progress.step(`downloading ${label}`, () => download(release, work, signal));
    } catch (error) {
      if (!(error instanceof DownloadFailed)) throw error;
      if (error.host) silentHosts.add(error.host);
      noDownload = error.message;
      progress.say(`${noDownload}; building from source instead`);
    }
  }
  try {
    return await progress.step(`building ${label}`, () => build(program, work, { env, signal }));
  } catch (error) {
    if (!(error instanceof BuildFailed)) throw error;
    const source = release ? `\n  its release: ${release.asset}` : "";
    throw new CannotProvide(
      `${label} is needed:\n  on PATH: not in exactly this version\n  download: ${noDownload}\n  build: ${error.message}${source}`,
      { cause: error },
    );
  }
}

/**
 * @param {import("./download.mjs").Release | undefined} release
 * @param {NodeJS.ProcessEnv} env
 * @param {ReadonlySet<string>} silentHosts
 * @returns {string | undefined} undefined when a download is worth trying
 */
function whyNoDownload(release, env, silentHosts) {
  if (release === undefined) return "there is no release for this machine";
  if (env.HOLDFAST_DOWNLOAD === "off") return "switched off by HOLDFAST_DOWNLOAD";
  const { host } = new URL(release.asset);
  return silentHosts.has(host) ? `${host} cannot be reached` : undefined;
}
