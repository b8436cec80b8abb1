import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

/** A process of this boot. A later one with the same pid has another start, and is never taken for it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from boot to the process's start, and the boot's ID. */
  readonly started: string;
}

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
        resolve({ pid, started: startOf(pid) ?? "" });
      });
    });
  },
  alive,
  terminate: (identity) => send(identity, identity.pid, "SIGTERM"),
  kill: (leader) => send(leader, -leader.pid, "SIGKILL"),
};

function send(identity: ProcessIdentity, target: number, signal: NodeJS.Signals): void {
  if (!alive(identity)) return;
  try {
    process.kill(target, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function alive({ pid, started }: ProcessIdentity): boolean {
  return startOf(pid) === started;
}

/** Reads what a process can write down of itself: its /proc/PID/stat, then /proc/sys/kernel/random/boot_id. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  const [stat = "", boot = ""] = text.split("\n");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const pid = Number.parseInt(stat, 10);
  const ticks = fields[19];
  return pid > 0 && ticks && boot ? { pid, started: `${ticks}@${boot}` } : undefined;
}

/** Undefined when there is no such process, or only what its parent has yet to collect. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8").trimEnd();
    if (/\) [ZX] /.test(stat)) return undefined;
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
    return parseIdentity(`${stat}\n${boot}`)?.started;
  } catch {
    return undefined;
  }
}
