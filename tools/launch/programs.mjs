import { LaunchError } from "./errors.mjs";
import { findOnPath, isExecutable } from "./find_on_path.mjs";
import { CannotProvide, cachedPath, provide } from "./provide.mjs";
import { run } from "./run.mjs";

/**
 * @typedef {import("./pinned_programs.mjs").Program} Program
 * @typedef {Omit<import("./provide.mjs").Surroundings, "silentHosts">} Surroundings
 */

/**
 * Takes each program from the cache, from PATH, from its release, or from its source, and returns where it is.
 * One in the cache costs no more than a look.
 * @param {readonly Program[]} programs
 * @param {Surroundings} surroundings
 * @returns {Promise<Readonly<Record<string, string>>>} absolute path by name
 */
export async function ensurePrograms(programs, surroundings) {
  const { cache, env } = surroundings;
  const found = await Promise.all(programs.map((program) => find(program, cache, env)));
  const silentHosts = new Set();
  /** @type {Record<string, string>} */
  const paths = {};
  const failures = [];
  for (const [index, program] of programs.entries()) {
    try {
      paths[program.name] = found[index] ?? (await provide(program, { ...surroundings, silentHosts }));
    } catch (error) {
      if (!(error instanceof CannotProvide)) throw error;
      failures.push(error.message);
    }
  }
  if (failures.length > 0) {
    throw new LaunchError(
      `${failures.join("\n")}\nPut these on PATH, or install Go >= 1.26 (https://go.dev/dl) and run again.`,
    );
  }
  return paths;
}

/**
 * @param {Program} program
 * @param {string} cache
 * @param {NodeJS.ProcessEnv} env
 */
async function find(program, cache, env) {
  const cached = cachedPath(program, cache);
  if (await isExecutable(cached)) return cached;
  if (program.versionArgs === undefined) return undefined;
  const path = await findOnPath(program.executable ?? program.name, env);
  if (path === undefined) return undefined;
  const printed = await run(path, program.versionArgs, { env }).catch(() => "");
  return namesVersion(printed, program.version) ? path : undefined;
}

/**
 * Whether what a program prints about itself names exactly this version, and no longer one or pre-release.
 * @param {string} printed
 * @param {string} version
 */
export function namesVersion(printed, version) {
  return new RegExp(`(?<![\\w.-])v?${version.replaceAll(".", "\\.")}(?![\\w.-])`).test(printed);
}
