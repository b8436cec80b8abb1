import { spawn } from "node:child_process";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Effort, effortOf } from "./process_effort.ts";

/** Running a program whose output is read while it runs, as a port. */
export interface StreamedProcesses {
  /** Starts a program. Rejects when it cannot be started. Both outputs must be read, or it may stall. */
  start(command: string, args: readonly string[], options: StreamOptions): Promise<StreamedProcess>;
}

export interface StreamOptions {
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Its input; none when absent. One that throws ends the program at once, so that it never takes a part for all. */
  readonly stdin?: AsyncIterable<Uint8Array>;
}

export interface StreamedProcess {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Settles when it has ended, and its outputs are closed. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** What it has used so far; undefined where that is not known. */
  effort?(): Effort | undefined;
  /** Does nothing once it has ended. */
  kill(signal: "SIGINT" | "SIGTERM" | "SIGKILL"): void;
}

export interface ProcessEnd {
  /** The exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
}

export const systemStreamedProcesses: StreamedProcesses = {
  start(command, args, { env, cwd, stdin }) {
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, { cwd, env, stdio: "pipe" });
      child.once("error", (cause) => {
        reject(new Error(`${command} could not be started: ${cause.message}`, { cause }));
      });
      const ended = new Promise<ProcessEnd>((end) => {
        child.once("close", (code, signal) => end({ code, signal }));
      });
      child.once("spawn", () => {
        const { stdout, stderr } = child;
        if (stdin) feed(stdin, child.stdin, () => child.kill("SIGKILL"));
        else child.stdin.end();
        const effort = () => (child.pid === undefined ? undefined : effortOf(child.pid));
        resolve({ stdout, stderr, ended, effort, kill: (signal) => void child.kill(signal) });
      });
    });
  },
};

function feed(input: AsyncIterable<Uint8Array>, sink: Writable, end: () => void): void {
  const guarded = async function* () {
    try {
      yield* input;
    } catch (error) {
      end();
      throw error;
    }
  };
  // A program that stops reading early is no failure of the input: its exit code tells.
  pipeline(Readable.from(guarded(), { objectMode: false }), sink).catch(() => {});
}
