import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type ProcessState, processState, signal } from "../../src/lib/process_identity.ts";
import { apiServerAnswers } from "./api.ts";
import { type ClusterInfo, type ComponentRecord, readInfo, writeInfo } from "./info.ts";
import { launch } from "./launch.ts";
import { until } from "./until.ts";

/** A component was asked to do what its state does not allow. */
export class ComponentFailed extends Error {
  override name = "ComponentFailed";
}

/** How long a component may take to end when asked, before it is killed, in milliseconds. */
const GRACE = 20_000;

/** One program of a running cluster, to be disturbed at will. */
export interface Component {
  readonly name: string;
  /** As it is at this moment. */
  readonly state: ProcessState;
  readonly pid: number;
  readonly log: string;
  /** Asks it to end, waits, and kills it after 20 s. */
  stop(): Promise<void>;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Starts it as before. The API server is ready to serve when this resolves. */
  start(): Promise<void>;
  /** Halts it: its connections stay open and silent. */
  pause(): Promise<void>;
  /** Lets it go on after `pause`. */
  resume(): Promise<void>;
}

/** The handle of one component. It reads the cluster's record anew each time, so it never grows stale. */
export function component(cluster: Pick<ClusterInfo, "directory">, name: string): Component {
  const { directory } = cluster;
  const record = () => recordOf(readInfo(directory), name);
  const ended = () =>
    until(`${name} has ended`, () => processState(record().process) === "dead", { timeout: GRACE });
  return {
    name,
    get state() {
      return processState(record().process);
    },
    get pid() {
      return record().process.pid;
    },
    get log() {
      return record().log;
    },
    async stop() {
      const { process } = record();
      signal(process, "SIGTERM");
      signal(process, "SIGCONT");
      await ended().catch(() => signal(process, "SIGKILL"));
      await ended();
    },
    async kill() {
      signal(record().process, "SIGKILL");
      await ended();
    },
    async start() {
      const { process, command } = record();
      if (processState(process) !== "dead") throw new ComponentFailed(`${name} runs already: stop it first`);
      await startComponent(directory, name, command);
      if (name === "kube-apiserver") await apiServerReady(directory);
    },
    async pause() {
      signal(record().process, "SIGSTOP");
      while (processState(record().process) === "running") await pause(5);
    },
    async resume() {
      signal(record().process, "SIGCONT");
    },
  };
}

/** Starts a component, in the node's namespaces where there is a node, and records it. */
export async function startComponent(
  directory: string,
  name: string,
  command: readonly string[],
): Promise<void> {
  const log = join(directory, "log", `${name}.log`);
  const inside = readInfo(directory).components.node?.process;
  const process = await launch({ command, log, directory, inside });
  recordComponent(directory, name, { process, command, log });
}

export function recordComponent(directory: string, name: string, record: ComponentRecord): void {
  const info = readInfo(directory);
  writeInfo({ ...info, components: { ...info.components, [name]: record } });
}

/** Resolves when the API server serves; rejects when it, or etcd, ends before. */
export async function apiServerReady(directory: string): Promise<void> {
  const info = readInfo(directory);
  await until("the API server is ready", () => apiServerAnswers(info), {
    watch: { etcd: recordOf(info, "etcd"), "kube-apiserver": recordOf(info, "kube-apiserver") },
  });
}

function recordOf(info: ClusterInfo, name: string): ComponentRecord {
  const record = info.components[name];
  if (record) return record;
  throw new ComponentFailed(
    `cluster ${info.name} has no ${name}: it has ${Object.keys(info.components).join(", ")}`,
  );
}
