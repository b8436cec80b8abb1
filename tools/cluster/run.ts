import { execFile } from "node:child_process";
import { SEARCH_PATH } from "./programs.ts";

/** A command ended badly. The message holds its last words. */
export class CommandFailed extends Error {
  override name = "CommandFailed";
}

export interface RunOptions {
  readonly cwd?: string;
}

/** Runs a command to its end and returns what it printed. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      command,
      args,
      { cwd: options.cwd, env: { ...process.env, PATH: SEARCH_PATH }, maxBuffer: 64 * 2 ** 20 },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout);
        const said = stderr.trim() || stdout.trim() || error.message;
        reject(new CommandFailed(`${command} ${args.join(" ")}: ${said}`, { cause: error }));
      },
    );
    child.stdin?.end();
  });
}
