import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** Where Debian keeps what only root has on PATH. */
const SYSTEM_FOLDERS = ["/usr/sbin", "/sbin"];

/**
 * The first executable of this name on PATH.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>}
 */
export async function findOnPath(name, env) {
  for await (const path of allOnPath(name, env)) return path;
  return undefined;
}

/**
 * Every executable of this name on PATH, in its order.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 * @returns {AsyncIterable<string>}
 */
export async function* allOnPath(name, env) {
  for (const folder of [...(env.PATH ?? "").split(delimiter), ...SYSTEM_FOLDERS]) {
    const path = join(folder, name);
    if (isAbsolute(folder) && (await isExecutable(path))) yield path;
  }
}

/**
 * @param {string} path
 * @returns {Promise<boolean>}
 */
export function isExecutable(path) {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
