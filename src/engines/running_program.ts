import type { Clock } from "../lib/clock.ts";
import type { Effort } from "../lib/process_effort.ts";
import { messageOf } from "../lib/result.ts";
import type { ProcessEnd, StreamedProcess, StreamedProcesses } from "../lib/streamed_process.ts";
import { EngineError } from "../wire/engine_error.ts";
import type { RateLimits } from "../wire/work.ts";
import { throwIfAborted } from "./aborted.ts";
import type { Meter } from "./meter.ts";

/** An engine's program, as it is run for one repository. */
export interface EngineProgram {
  readonly program: string;
  readonly processes: StreamedProcesses;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string>>;
  /** How long what has to get on may stand still, in milliseconds. Default: for ever. */
  readonly standstillMs?: number;
  /** Of its speed. Default: none. */
  readonly limits?: RateLimits;
}

/** How a program ended, and what it said. */
export interface ProgramEnd extends ProcessEnd {
  /** What it wrote to standard error and was worth keeping, the last part of it. */
  readonly words: string;
}

export interface ProgramRun {
  readonly args: readonly string[];
  /** What is being done, as the beginning of an error's message: "listing snapshots". */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  /** Is told what it moves. Default: nobody. */
  readonly meter?: Meter | undefined;
  /** How it is asked to end, and how long it may take to clean up before it is ended by force. */
  readonly farewell: { readonly signal: "SIGINT" | "SIGTERM"; readonly ms: number };
  /** Listens to its standard error, and yields the lines of it that are worth keeping. */
  readonly listen: (errors: AsyncIterable<Uint8Array>) => AsyncIterable<string>;
}

const WORDS_KEPT = 16 * 1024;

/** A running program that its signal ends. Its standard output must be read. */
export class RunningProgram {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly #process: StreamedProcess;
  readonly #run: ProgramRun;
  readonly #clock: Clock;
  readonly #listening: Promise<void>;
  readonly #onAbort = () => this.stop();
  #words = "";
  #stopped = false;
  #cancelKill = () => {};
  readonly #unfollow: () => void;

  static async start(program: EngineProgram, run: ProgramRun): Promise<RunningProgram> {
    const { what, signal, args, env, cwd, stdin } = run;
    throwIfAborted(what, signal);
    try {
      const process = await program.processes.start(program.program, args, {
        env: { ...program.env, ...env },
        ...(cwd === undefined ? {} : { cwd }),
        ...(stdin === undefined ? {} : { stdin }),
      });
      return new RunningProgram(process, program.clock, run);
    } catch (cause) {
      throw new EngineError("EngineMissing", `${what}: ${messageOf(cause)}`, { cause });
    }
  }

  constructor(process: StreamedProcess, clock: Clock, run: ProgramRun) {
    this.#process = process;
    this.#clock = clock;
    this.#run = run;
    this.stdout = process.stdout;
    this.#listening = this.#listen();
    this.#unfollow = run.meter?.follow(() => this.effort()) ?? (() => {});
    run.signal?.addEventListener("abort", this.#onAbort, { once: true });
    if (run.signal?.aborted) this.stop();
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** What it has used so far; undefined where that is not known. */
  effort(): Effort | undefined {
    return this.#process.effort?.();
  }

  /** Asks it to end and to clean up; ends it by force when it does not. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    const { signal, ms } = this.#run.farewell;
    this.#process.kill(signal);
    this.#cancelKill = this.#clock.after(ms, () => this.#process.kill("SIGKILL"));
  }

  async ended(): Promise<ProgramEnd> {
    try {
      await this.#listening;
      return { ...(await this.#process.ended), words: this.#words };
    } finally {
      this.#unfollow();
      this.#cancelKill();
      this.#run.signal?.removeEventListener("abort", this.#onAbort);
    }
  }

  async #listen(): Promise<void> {
    for await (const line of this.#run.listen(this.#process.stderr)) {
      this.#words = `${this.#words}${line}\n`.slice(-WORDS_KEPT);
    }
  }
}
