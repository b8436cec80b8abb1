import { join } from "node:path";
import { errorCode } from "./errors.mjs";
import { CommandFailed, run, tail } from "./run.mjs";

/** A program could not be built from its Go module. */
export class BuildFailed extends Error {
  /** @override */
  name = "BuildFailed";
}

/**
 * Builds a program from its pinned module into `folder` and returns the path of the executable.
 * @param {Pick<import("./pinned_programs.mjs").Program, "name" | "package" | "ldflags" | "tags" | "moduleFolder" | "workspace">} program
 * @param {string} folder
 * @param {{ env: NodeJS.ProcessEnv, signal: AbortSignal }} options
 * @returns {Promise<string>}
 */
export async function build(program, folder, { env, signal }) {
  const executable = join(folder, program.name);
  const ldflags = `-s -w ${program.ldflags}`.trim();
  const args = [
    "build",
    "-trimpath",
    "-buildvcs=false",
    // What the linker leaves out need not be made: a fifth of the compiler's work.
    "-gcflags=all=-dwarf=false",
    "-ldflags",
    ldflags,
    ...(program.tags ? ["-tags", program.tags] : []),
    "-o",
    executable,
    program.package,
  ];
  // The module stands for itself, and the program is for this machine, whatever the user's Go is set to. A Go that
  // is ended leaves its temporary files: they go where the caller cleans up.
  const { GOOS: _os, GOARCH: _arch, ...inherited } = env;
  try {
    await run("go", args, {
      cwd: program.moduleFolder,
      env: { ...inherited, CGO_ENABLED: "0", GOWORK: program.workspace ?? "off", GOTMPDIR: folder },
      signal,
    });
    return executable;
  } catch (error) {
    signal.throwIfAborted();
    if (errorCode(error) === "ENOENT") throw new BuildFailed("Go is not installed", { cause: error });
    if (!(error instanceof CommandFailed)) throw error;
    throw new BuildFailed(`${error.message} in ${program.moduleFolder}:\n${tail(error.output)}`, {
      cause: error,
    });
  }
}
