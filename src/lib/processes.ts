import { spawn } from "node:child_process";

/** Running other programs as a port. */
export interface Processes {
  /**
   * Runs a program to its end. Rejects when it cannot be started, with the signal's reason, or on too much output: once
   * it has ended, whatever others that it started still hold open.
   */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<Finished>;
}

export interface RunOptions {
  /** The whole environment. This process's own when absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly stdin?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** How long it may take to end after SIGTERM, in milliseconds, before it is killed. Default 5,000. */
  readonly grace?: number;
  /** Bytes of standard output that are kept at most. Default 16 MiB. */
  readonly maxOutput?: number;
}

export interface Finished {
  /** The exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  /** The last 64 KiB. */
  readonly stderr: string;
}

const STDERR_TAIL = 64 * 1024;

export const systemProcesses: Processes = {
  run(command, args, options = {}) {
    const { signal, grace = 5_000, maxOutput = 16 * 2 ** 20 } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const child = spawn(command, args, {
        cwd: options.cwd,
        env: options.env as NodeJS.ProcessEnv | undefined,
        stdio: ["pipe", "pipe", "pipe"],
      });
      const out: Buffer[] = [];
      let size = 0;
      let stderr = "";
      let overflow = false;
      let killing: NodeJS.Timeout | undefined;
      const listenNoMore = () => {
        child.stdout.destroy();
        child.stderr.destroy();
      };
      const onAbort = () => {
        if (child.kill("SIGTERM")) killing = setTimeout(() => child.kill("SIGKILL"), grace);
        else listenNoMore();
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      child.once("exit", () => {
        clearTimeout(killing);
        if (signal?.aborted || overflow) listenNoMore();
      });
      child.stdout.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size <= maxOutput) out.push(chunk);
        else if (!overflow) {
          overflow = true;
          child.kill("SIGKILL");
        }
      });
      child.stderr.on("data", (chunk: Buffer) => {
        stderr = (stderr + chunk.toString("utf8")).slice(-STDERR_TAIL);
      });
      child.stdin.on("error", () => {}); // A program that does not read its input is not an error of ours.
      child.stdin.end(options.stdin ?? "");
      child.once("error", (cause) => {
        signal?.removeEventListener("abort", onAbort);
        reject(new Error(`${command} could not be started: ${cause.message}`, { cause }));
      });
      child.once("close", (code, ended) => {
        signal?.removeEventListener("abort", onAbort);
        if (signal?.aborted) return reject(signal.reason);
        if (overflow) return reject(new Error(`${command} wrote more than ${maxOutput} bytes`));
        resolve({ code, signal: ended, stdout: Buffer.concat(out), stderr });
      });
    });
  },
};
