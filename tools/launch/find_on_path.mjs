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
  for (const folder of [...(env.PATH ?? "").split(delimiter), ...SYSTEM_FOLDERS]) {
    if (!isAbsolute(folder)) continue;
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  return undefined;
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
