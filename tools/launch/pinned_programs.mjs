import { readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * @typedef {object} Program an outside program, pinned
 * @property {string} name
 * @property {string} version
 * @property {string} [executable] what others call it, where several versions of it are pinned
 * @property {string} package Go package to build
 * @property {string} ldflags
 * @property {string} [tags] build tags of Go
 * @property {string} moduleFolder folder of the Go module that pins it
 * @property {string} [workspace] Go workspace that it is built in, where its module shares versions with others
 * @property {readonly string[]} [versionArgs] make it print its version; absent when nobody distributes it
 * @property {import("./download.mjs").Release} [release] absent where there is none for this machine
 */

/**
 * @typedef {{ version: string, module: string, package: string, executable?: string, ldflags?: string, tags?: string, versionArgs?: string[] }} ProgramEntry
 * @typedef {{ asset: string, checksums: string, member?: string, platforms: Record<string, string> }} ReleaseEntry
 * @typedef {{ like?: string, shared?: boolean, ldflags?: string, tags?: string, release?: ReleaseEntry }} ModuleEntry
 *   `like`: the module that it is another version of, and has everything else from; `shared`: it is part of shared.work
 */

/**
 * Reads programs.json and modules.json, with their placeholders filled in for this machine.
 * @param {string} folder where both are, beside the Go modules
 * @param {string} [platform] system and processor as Node names them, such as "linux-x64"
 * @returns {Promise<ReadonlyMap<string, Program>>} by name
 */
export async function readPinnedPrograms(folder, platform = `${process.platform}-${process.arch}`) {
  /** @type {Record<string, ProgramEntry>} */
  const programs = JSON.parse(await readFile(join(folder, "programs.json"), "utf8"));
  /** @type {Record<string, ModuleEntry>} */
  const modules = JSON.parse(await readFile(join(folder, "modules.json"), "utf8"));
  const pinned = Object.entries(programs).map(([name, { module, ...entry }]) => {
    const own = modules[module] ?? {};
    const { ldflags = "", tags, release } = { ...(own.like ? modules[own.like] : {}), ...own };
    const theirPlatform = entry.versionArgs && release?.platforms[platform];
    /** @param {string} template */
    const fill = (template) =>
      template
        .replaceAll("{version}", entry.version)
        .replaceAll("{minor}", entry.version.split(".")[1] ?? "")
        .replaceAll("{program}", entry.executable ?? name)
        .replaceAll("{platform}", theirPlatform ?? "");
    /** @type {Program} */
    const program = {
      name,
      ...entry,
      ldflags: fill(entry.ldflags ?? ldflags),
      moduleFolder: join(folder, module),
    };
    if (tags && !entry.tags) program.tags = tags;
    if (own.shared) program.workspace = join(folder, "shared.work");
    if (release && theirPlatform) {
      program.release = { asset: fill(release.asset), checksums: fill(release.checksums) };
      if (release.member) program.release.member = fill(release.member);
    }
    return program;
  });
  return new Map(pinned.map((program) => [program.name, program]));
}
