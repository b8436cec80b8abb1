import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../../lib/clock.ts";
import { ContainerLog } from "./container_log.ts";
import type { Launch } from "./launch_script.ts";

/** One run of a container: a restart is the next attempt. */
export interface Attempt {
  readonly pod: string;
  readonly container: string;
  readonly attempt: number;
}

/** How an attempt came to its end. */
export interface Ending {
  readonly type: "exited";
  readonly code: number;
  /** `notStarted`: its program never ran. `lost`: it ended and nothing says how. */
  readonly how: "exited" | "notStarted" | "lost";
  /** Why it was not started; or its last words. */
  readonly message: string;
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** Where and as whom a container's programs run. */
export type Surroundings = Pick<Launch, "workingDir" | "path" | "runAs">;

/** Where, in the folder of an attempt, a container leaves its last words. */
export const TERMINATION = "termination";
const LONGEST_WORDS = 4096;
/** Says, in the folder of an attempt, that the end of its log may stand for its last words, and how much of it. */
export const LOG_AS_LAST_WORDS = "log-as-last-words";
const LAST_LINES = 80;
const LAST_BYTES = 2048;

/** Says, in the folder of an attempt, where and as whom a further command runs in the container. */
export const SURROUNDINGS = "surroundings";

/** Exit code of what was killed, as shells and container runtimes count. */
export const KILLED = 137;
const NOT_STARTED = 128;

/** What the attempts of containers leave on disk, below a folder for each pod. */
export class AttemptFiles {
  readonly #folder: string;
  readonly #clock: Clock;

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** The uids of the pods that have left something here. */
  pods(): readonly string[] {
    return existsSync(this.#folder) ? readdirSync(this.#folder) : [];
  }

  /** The folder for what belongs to a pod as a whole. */
  podFolder(pod: string): string {
    return join(this.#folder, pod);
  }

  /** The attempts of each container of a pod, oldest first. */
  attempts(pod: string): ReadonlyMap<string, readonly Attempt[]> {
    const folder = join(this.podFolder(pod), "containers");
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return new Map(
      names.map((container) => {
        const numbers = readdirSync(join(folder, container)).map(Number);
        return [
          container,
          numbers.sort((a, b) => a - b).map((attempt) => ({ pod, container, attempt })),
        ] as const;
      }),
    );
  }

  /** Where an attempt keeps its files. */
  folder({ pod, container, attempt }: Attempt): string {
    return join(this.podFolder(pod), "containers", container, String(attempt));
  }

  log(attempt: Attempt): ContainerLog {
    return new ContainerLog(this.#path(attempt, "log"), this.#clock);
  }

  startedAt(attempt: Attempt): number {
    return this.#time(attempt, "launch");
  }

  /** How an attempt ended, which does not run any more. */
  ending(attempt: Attempt): Ending {
    const code = this.read(attempt, "exit");
    const base = {
      type: "exited",
      startedAt: this.startedAt(attempt),
      finishedAt: this.#time(attempt, code ? "exit" : "log"),
    } as const;
    if (!this.has(attempt, "started") && code && Number(code) !== KILLED) {
      const message = this.read(attempt, "setup").trim() || "it could not be set up: its log may say why";
      return { ...base, code: NOT_STARTED, how: "notStarted", message };
    }
    if (!code) return { ...base, code: KILLED, how: "lost", message: "" };
    const message = this.read(attempt, TERMINATION) || this.#lastLog(attempt, Number(code));
    return { ...base, code: Number(code), how: "exited", message };
  }

  /** Undefined for an attempt that an earlier version of this program started: that left nothing about them. */
  surroundings(attempt: Attempt): Surroundings | undefined {
    if (!this.has(attempt, SURROUNDINGS)) return undefined;
    return JSON.parse(readFileSync(this.#path(attempt, SURROUNDINGS), "utf8")) as Surroundings;
  }

  has(attempt: Attempt, file: string): boolean {
    return existsSync(this.#path(attempt, file));
  }

  /** The end of a file, which a container may have made as large as it likes. */
  read(attempt: Attempt, file: string): string {
    if (!this.has(attempt, file)) return "";
    const fd = openSync(this.#path(attempt, file), "r");
    try {
      const buffer = Buffer.alloc(LONGEST_WORDS);
      const start = Math.max(0, fstatSync(fd).size - LONGEST_WORDS);
      return buffer.toString("utf8", 0, readSync(fd, buffer, 0, LONGEST_WORDS, start));
    } finally {
      closeSync(fd);
    }
  }

  #lastLog(attempt: Attempt, code: number): string {
    if (code === 0 || !this.has(attempt, LOG_AS_LAST_WORDS)) return "";
    return this.log(attempt).tail(LAST_LINES, LAST_BYTES);
  }

  #time(attempt: Attempt, file: string): number {
    return this.has(attempt, file) ? statSync(this.#path(attempt, file)).mtimeMs : this.#clock.now();
  }

  #path(attempt: Attempt, file: string): string {
    return join(this.folder(attempt), file);
  }
}
