import { readdirSync, readFileSync } from "node:fs";

/** A process of this boot. A later process with the same pid has another start, and is never taken for it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from boot to the process's start, and the boot's ID. */
  readonly started: string;
}

export type ProcessState = "running" | "paused" | "dead";

/** Reads a line of /proc/PID/stat. */
export function parseStat(stat: string): { readonly state: string; readonly startTicks: string } {
  const { state, startTicks } = fieldsOf(stat);
  if (state === undefined || startTicks === undefined)
    throw new TypeError(`not a line of /proc/PID/stat: ${stat}`);
  return { state, startTicks };
}

/** The program's name, in parentheses, may hold spaces and parentheses. */
function fieldsOf(stat: string) {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0], startTicks: fields[19] };
}

/** Reads what a process can write down of itself: its /proc/PID/stat, then /proc/sys/kernel/random/boot_id. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  const [stat = "", boot = ""] = text.split("\n");
  const pid = Number.parseInt(stat, 10);
  const { startTicks } = fieldsOf(stat);
  return pid > 0 && startTicks && boot ? { pid, started: `${startTicks}@${boot}` } : undefined;
}

/** Who has this pid now; undefined when nobody has, or only a process that is dead already. */
export function identify(pid: number): ProcessIdentity | undefined {
  const now = look(pid);
  return now && { pid, started: now.started };
}

export function processState(identity: ProcessIdentity): ProcessState {
  const now = look(identity.pid);
  if (now?.started !== identity.started) return "dead";
  return now.state === "T" ? "paused" : "running";
}

/** Sends a signal to a process, or to all of the group that it leads, unless it is gone. */
export function signal(
  identity: ProcessIdentity,
  name: NodeJS.Signals,
  to: "process" | "group" = "process",
): void {
  if (processState(identity) === "dead") return;
  try {
    process.kill(to === "group" ? -identity.pid : identity.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** The processes that were started with this variable in their environment, whoever their parent is now. */
export function processesWith(variable: string, value: string): ProcessIdentity[] {
  const wanted = `${variable}=${value}`;
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((pid) => (read(`/proc/${pid}/environ`) ?? "").split("\0").includes(wanted))
    .flatMap((pid) => identify(Number(pid)) ?? []);
}

/** Undefined when there is no such process, or only what its parent has yet to collect. */
function look(pid: number): { readonly state: string; readonly started: string } | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (!stat) return undefined;
  const { state, startTicks } = parseStat(stat);
  if (state === "X" || (state === "Z" && threadsOf(pid) <= 1)) return undefined;
  return { state, started: `${startTicks}@${bootId()}` };
}

/** A process whose first thread is a zombie still holds its ports and files while another thread lives. */
function threadsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).length;
  } catch {
    return 0;
  }
}

function bootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}

/** Undefined when the process is gone, or is none of ours to look at. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
