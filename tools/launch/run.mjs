import { spawn } from "node:child_process";

/** How much of a program's output is kept for the error that may follow. */
const KEPT_OUTPUT = 64 * 1024;

/** A program ended with an error; `output` holds the last of what it printed. */
export class CommandFailed extends Error {
  /** @override */
  name = "CommandFailed";

  /**
   * @param {string} command
   * @param {string} outcome
   * @param {string} output
   */
  constructor(command, outcome, output) {
    super(`${command} ${outcome}`);
    /** @readonly */
    this.output = output;
  }
}

/**
 * Runs a program to its end without showing its output, and returns what it printed.
 * An abort ends the program, waits for its end, then rejects with the signal's reason.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, signal?: AbortSignal }} [options]
 * @returns {Promise<string>}
 */
export function run(command, args, { cwd, env, signal } = {}) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    /** @param {string} text */
    const keep = (text) => {
      output = (output + text).slice(-KEPT_OUTPUT);
    };
    child.stdout.setEncoding("utf8").on("data", keep);
    child.stderr.setEncoding("utf8").on("data", keep);
    const end = () => child.kill();
    signal?.addEventListener("abort", end, { once: true });
    child.on("error", reject);
    child.on("close", (code, killedBy) => {
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) reject(signal.reason);
      else if (code === 0) resolve(output);
      else
        reject(
          new CommandFailed(command, killedBy ? `was ended by ${killedBy}` : `exited with ${code}`, output),
        );
    });
  });
}

/**
 * The last lines of a program's output, indented for an error message.
 * @param {string} output
 * @param {number} [lines]
 */
export function tail(output, lines = 15) {
  return output
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("go: downloading "))
    .slice(-lines)
    .map((line) => `    ${line}`)
    .join("\n");
}
