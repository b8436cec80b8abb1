import { spawn } from "node:child_process";

/**
 * Runs the command itself in this process's place: same terminal, same end. Resolves with how it ended.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ code: number } | { signal: NodeJS.Signals }>}
 */
export function handOver(program, args, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: "inherit" });
    // A terminal sends Ctrl-C to the whole group, the command included: passing it on would send it twice.
    const atTerminal = process.stdin.isTTY === true;
    process.on("SIGINT", () => atTerminal || child.kill("SIGINT"));
    process.on("SIGTERM", () => child.kill("SIGTERM"));
    process.on("SIGHUP", () => child.kill("SIGHUP"));
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(signal ? { signal } : { code: code ?? 1 }));
  });
}
