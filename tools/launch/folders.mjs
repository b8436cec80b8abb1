import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the project: everything it runs is named relative to it. */
export const projectFolder = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Where Node and the outside programs are kept, by version, for every clone of this user.
 * @param {NodeJS.ProcessEnv} env
 * @returns {string} an absolute path
 */
export function cacheFolder(env) {
  if (env.HOLDFAST_CACHE) return resolve(env.HOLDFAST_CACHE);
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "holdfast");
}
