import { spawn } from "node:child_process";
import { identify, type ProcessIdentity, processState, signal } from "./process_identity.ts";

export { type ProcessIdentity, parseIdentity } from "./process_identity.ts";

export interface StartOptions {
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** File descriptors that the program gets as its 3, 4, … */
  readonly descriptors?: readonly number[];
}

/** Programs that outlive this process, as a port. */
export interface ProcessGroups {
  /**
   * Starts a program as the leader of a session and a process group of its own, with no input and no output.
   * Rejects when it cannot be started.
   */
  start(command: string, args: readonly string[], options: StartOptions): Promise<ProcessIdentity>;
  alive(process: ProcessIdentity): boolean;
  /** Asks one process to end, unless it is gone. */
  terminate(process: ProcessIdentity): void;
  /** Kills everything in the group of a leader, unless that is gone. */
  kill(leader: ProcessIdentity): void;
}

export const systemProcessGroups: ProcessGroups = {
  start(command, args, { env, cwd, descriptors = [] }) {
    return new Promise((resolve, reject) => {
      const stdio = ["ignore" as const, "ignore" as const, "ignore" as const, ...descriptors];
      const child = spawn(command, args, { cwd, env, detached: true, stdio });
      child.unref();
      child.once("error", (cause) => {
        reject(new Error(`${command} could not be started: ${cause.message}`, { cause }));
      });
      child.once("spawn", () => {
        const pid = child.pid ?? 0;
        // One that ended already has no start to read, and is nobody's.
        resolve(identify(pid) ?? { pid, started: "" });
      });
    });
  },
  alive: (identity) => processState(identity) !== "dead",
  terminate: (identity) => signal(identity, "SIGTERM"),
  kill: (leader) => signal(leader, "SIGKILL", "group"),
};
