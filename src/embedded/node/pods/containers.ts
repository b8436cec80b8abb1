import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../lib/clock.ts";
import { type FifoReader, holdFifo, readFifo } from "../../../lib/fifo.ts";
import { type ProcessGroups, type ProcessIdentity, parseIdentity } from "../../../lib/process_groups.ts";
import type { Processes } from "../../../lib/processes.ts";
import { messageOf } from "../../../lib/result.ts";
import type { Logger } from "../../../observe/log.ts";
import { removeTree } from "../remove_tree.ts";
import {
  type Attempt,
  AttemptFiles,
  type Ending,
  KILLED,
  LOG_AS_LAST_WORDS,
  SURROUNDINGS,
  type Surroundings,
  TERMINATION,
} from "./attempt_files.ts";
import type { ContainerLog } from "./container_log.ts";
import { hostRoot, resolverMount } from "./isolation.ts";
import { type Isolation, type Launch, launchScript, namespaces, TOOLS_PATH } from "./launch_script.ts";

export type ContainerState = { readonly type: "running"; readonly startedAt: number } | Ending;

export type NewContainer = Omit<Launch, "folder" | "hidden"> & {
  readonly env: Readonly<Record<string, string>>;
  /** Without last words, the end of its log stands for them when it fails. */
  readonly logAsLastWords: boolean;
};

/** What keeps and runs containers. */
export interface ContainersOptions {
  /** A folder of its own, with room for what pods keep. */
  readonly folder: string;
  /** Folders of the host that no container sees, such as those with other pods' data. */
  readonly hidden: readonly string[];
  readonly isolation: Isolation;
  readonly clock: Clock;
  readonly processes: Processes;
  readonly groups: ProcessGroups;
  readonly log: Logger;
}

/** A container that runs, for further commands in it. */
export interface Inside extends Surroundings {
  /** Of the container's first process, on this machine. */
  readonly pid: number;
}

interface Running {
  readonly attempt: Attempt;
  readonly leader: ProcessIdentity;
  readonly output: FifoReader;
  readonly log: ContainerLog;
  readonly ended: Promise<void>;
}

/**
 * Runs beside each container, and outlives the node's own program: it notes its identity, runs what it is given
 * with the log's pipe (descriptor 3) as output, notes the exit code, waits until someone reads the log, and
 * takes what is left of its process group with it.
 */
const KEEPER = `
cat "/proc/$$/stat" /proc/sys/kernel/random/boot_id > keeper.new && mv keeper.new keeper
"$@" >&3 2>&3 3>&- </dev/null
printf %s "$?" > exit.new && mv exit.new exit
: < hold
kill -KILL 0
`;

/** Containers as process groups. Everything that is known of them is on disk, so that a restart finds it again. */
export class Containers {
  readonly #options: ContainersOptions;
  readonly #files: AttemptFiles;
  readonly #running = new Map<string, Running>();
  readonly #listeners = new Set<(pod: string) => void>();

  constructor(options: ContainersOptions) {
    this.#options = options;
    this.#files = new AttemptFiles(options.folder, options.clock);
  }

  get isolation(): Isolation {
    return this.#options.isolation;
  }

  /** Calls back with the pod's uid whenever one of its containers has ended. */
  onExit(listener: (pod: string) => void): void {
    this.#listeners.add(listener);
  }

  /** The folder for what belongs to a pod as a whole. */
  podFolder(pod: string): string {
    return this.#files.podFolder(pod);
  }

  /** The uids of the pods that have left something here. */
  pods(): readonly string[] {
    return this.#files.pods();
  }

  /** Follows on with what an earlier run of this program started. */
  adopt(): void {
    for (const pod of this.pods()) {
      for (const attempt of [...this.#files.attempts(pod).values()].flat()) this.#adopt(attempt);
    }
  }

  /** Starts the next attempt. One that fails here has not been. */
  async start(attempt: Attempt, container: NewContainer): Promise<void> {
    try {
      await this.#start(attempt, container);
    } catch (error) {
      await rm(this.attemptFolder(attempt), { recursive: true, force: true });
      throw error;
    }
  }

  async #start(attempt: Attempt, container: NewContainer): Promise<void> {
    const { isolation, processes, groups, hidden } = this.#options;
    const folder = this.attemptFolder(attempt);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, TERMINATION), "");
    chmodSync(join(folder, TERMINATION), 0o666);
    const { env, logAsLastWords, ...launch } = container;
    if (logAsLastWords) writeFileSync(join(folder, LOG_AS_LAST_WORDS), "");
    const { workingDir, path, runAs } = launch;
    writeFileSync(
      join(folder, SURROUNDINGS),
      JSON.stringify({ workingDir, path, runAs } satisfies Surroundings),
    );
    const mounts = [...resolverMount(), ...launch.mounts];
    writeFileSync(
      join(folder, "launch"),
      launchScript({ ...launch, folder, mounts, hidden }, isolation, hostRoot(mounts)),
    );
    await processes.run("mkfifo", ["-m", "666", "output", "hold"], { cwd: folder });
    const write = holdFifo(join(folder, "output"));
    try {
      const args = ["-c", KEEPER, "keeper", ...namespaces(isolation), "sh", "launch"];
      const options = { cwd: folder, env: { ...env, PATH: TOOLS_PATH }, descriptors: [write.fd] };
      const leader = await groups.start("sh", args, options);
      try {
        this.#follow(attempt, leader);
      } catch (error) {
        groups.kill(leader);
        throw error;
      }
    } finally {
      write.close();
    }
  }

  /** The states of each container of a pod, oldest attempt first. */
  states(pod: string): ReadonlyMap<string, readonly ContainerState[]> {
    const states = (attempts: readonly Attempt[]) => attempts.map((attempt) => this.#stateOf(attempt));
    return new Map(
      [...this.#files.attempts(pod)].map(([container, attempts]) => [container, states(attempts)]),
    );
  }

  /** What a further command in a container needs to know. Undefined for a container that does not run. */
  inside(pod: string, container: string): Inside | "starting" | undefined {
    const running = this.#runningOf(pod).find(({ attempt }) => attempt.container === container);
    if (!running) return undefined;
    const { attempt } = running;
    if (!this.#files.has(attempt, "started")) return "starting";
    const main = parseIdentity(this.#files.read(attempt, "main"));
    const surroundings = this.#files.surroundings(attempt);
    if (!main || !surroundings || !this.#options.groups.alive(main)) return undefined;
    return { ...surroundings, pid: main.pid };
  }

  /** Asks the containers of a pod to end. */
  terminate(pod: string): void {
    for (const { attempt, leader } of this.#runningOf(pod)) {
      const main = parseIdentity(this.#files.read(attempt, "main"));
      // Before its own program runs there is nobody who would hear the question.
      if (main && this.#files.has(attempt, "started")) this.#options.groups.terminate(main);
      else this.#kill(attempt, leader);
    }
  }

  /** Ends the containers of a pod, unasked. */
  kill(pod: string): void {
    for (const { attempt, leader } of this.#runningOf(pod)) this.#kill(attempt, leader);
  }

  /** Kills what runs of a pod, and removes everything that it has left. */
  async remove(pod: string): Promise<void> {
    this.kill(pod);
    await Promise.all(this.#runningOf(pod).map(({ ended }) => ended));
    await removeTree(this.#options.processes, this.podFolder(pod));
  }

  /** Removes the volumes that are a pod's own, which nobody needs once it has ended. */
  async removeVolumes(pod: string): Promise<void> {
    await removeTree(this.#options.processes, join(this.podFolder(pod), "volumes"));
  }

  /** Kills whatever runs. */
  async killAll(): Promise<void> {
    const running = [...this.#running.values()];
    for (const { attempt, leader } of running) this.#kill(attempt, leader);
    await Promise.all(running.map(({ ended }) => ended));
  }

  /** Lets go of what runs, without ending it: the next run of this program adopts it. */
  release(): void {
    this.#listeners.clear();
    for (const { output } of this.#running.values()) output.close();
  }

  log(attempt: Attempt): ContainerLog {
    return this.#running.get(keyOf(attempt))?.log ?? this.#files.log(attempt);
  }

  /** Where an attempt keeps its files. */
  attemptFolder(attempt: Attempt): string {
    return this.#files.folder(attempt);
  }

  #kill(attempt: Attempt, leader: ProcessIdentity): void {
    this.#options.groups.kill(leader);
    try {
      // The keeper died with the rest, and cannot say how.
      writeFileSync(join(this.attemptFolder(attempt), "exit"), String(KILLED), { flag: "wx" });
    } catch (error) {
      this.#options.log.debug({ ...attempt, error: messageOf(error) }, "the exit code is not noted");
    }
  }

  #runningOf(pod: string): readonly Running[] {
    return [...this.#running.values()].filter(({ attempt }) => attempt.pod === pod);
  }

  #adopt(attempt: Attempt): void {
    const leader = parseIdentity(this.#files.read(attempt, "keeper"));
    if (leader && this.#options.groups.alive(leader)) this.#follow(attempt, leader);
  }

  /** Reads the output to its end, which is the container's end. */
  #follow(attempt: Attempt, leader: ProcessIdentity): void {
    const folder = this.attemptFolder(attempt);
    const log = this.#files.log(attempt);
    log.open();
    const output = readFifo(join(folder, "output"), (chunk) => this.#append(log, chunk, attempt));
    // It may have been killed before the pipe was open, and then its end is not told there.
    if (!this.#options.groups.alive(leader)) output.close();
    const hold = holdFifo(join(folder, "hold"));
    const ended = output.ended.then(() => {
      hold.close();
      log.close();
      this.#running.delete(keyOf(attempt));
      for (const listener of this.#listeners) listener(attempt.pod);
    });
    this.#running.set(keyOf(attempt), { attempt, leader, output, log, ended });
  }

  /** What cannot be kept, on a full disk, is lost: a container that nobody reads would stand still. */
  #append(log: ContainerLog, chunk: Uint8Array, attempt: Attempt): void {
    try {
      log.append(chunk);
    } catch (error) {
      this.#options.log.warn({ ...attempt, error: messageOf(error) }, "a part of a container's log is lost");
    }
  }

  #stateOf(attempt: Attempt): ContainerState {
    if (!this.#running.has(keyOf(attempt))) return this.#files.ending(attempt);
    return { type: "running", startedAt: this.#files.startedAt(attempt) };
  }
}

function keyOf({ pod, container, attempt }: Attempt): string {
  return `${pod}/${container}/${attempt}`;
}
