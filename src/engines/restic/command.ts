import type { Clock } from "../../lib/clock.ts";
import { lines } from "../../lib/lines.ts";
import { messageOf } from "../../lib/result.ts";
import type { ProcessEnd, StreamedProcess, StreamedProcesses } from "../../lib/streamed_process.ts";
import { EngineError } from "../../wire/engine_error.ts";
import { throwIfAborted } from "../aborted.ts";
import { type ResticEnd, resticFailure } from "./failure.ts";

export interface ResticProgram {
  readonly program: string;
  readonly processes: StreamedProcesses;
  readonly clock: Clock;
  /** Arguments of every command. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface CommandOptions {
  /** What is being done, as the beginning of an error's message: "listing snapshots". */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that are no failure, beside 0. */
  readonly accept?: readonly number[];
  /**
   * restic repeats failed requests for 15 minutes. `Short` ends it after a few of them: for what someone waits
   * for. What waiting cannot cure ends it in any case. Default `Long`.
   */
  readonly patience?: "Short" | "Long";
  /** Ends it as Unreachable when nothing at all was said for so long: some storage clients retry in silence. */
  readonly silenceMs?: number;
  /** Called with each line that restic writes on either output, parsed when it is JSON. */
  readonly onLine?: (line: unknown) => void;
}

const WORDS_KEPT = 16 * 1024;
const SHORT_PATIENCE_RETRIES = 3;
const CLEAN_UP_MS = 20_000;

/** Runs restic to its end and gives every line to `onLine`. Rejects with an EngineError. */
export async function runRestic(
  restic: ResticProgram,
  args: readonly string[],
  options: CommandOptions,
): Promise<ResticEnd> {
  const run = await RunningRestic.start(restic, args, options);
  const reading = (async () => {
    for await (const line of lines(run.stdout)) options.onLine?.(parsed(line));
  })();
  try {
    await reading;
  } catch (error) {
    run.stop();
    await run.finish().catch(() => {});
    throw error;
  }
  return run.finish();
}

/** Runs restic and yields what it writes to standard output. Ends it when the reader stops early. */
export async function* streamRestic(
  restic: ResticProgram,
  args: readonly string[],
  options: CommandOptions,
): AsyncIterable<Uint8Array> {
  const run = await RunningRestic.start(restic, args, options);
  let complete = false;
  try {
    yield* run.stdout;
    complete = true;
  } finally {
    if (complete) await run.finish();
    else {
      run.stop();
      await run.finish().catch(() => {});
    }
  }
}

class RunningRestic {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly #process: StreamedProcess;
  readonly #options: CommandOptions;
  readonly #clock: Clock;
  readonly #onAbort = () => this.stop();
  readonly #words: Promise<void>;
  #said = "";
  #retries = 0;
  #stopped = false;
  #cancelKill = () => {};
  #cancelSilence = () => {};

  static async start(restic: ResticProgram, args: readonly string[], options: CommandOptions) {
    throwIfAborted(options.what, options.signal);
    const { cwd, env } = options;
    try {
      const process = await restic.processes.start(restic.program, [...restic.args, ...args], {
        env: { ...restic.env, ...env },
        ...(cwd === undefined ? {} : { cwd }),
      });
      return new RunningRestic(process, restic.clock, options);
    } catch (cause) {
      throw new EngineError("EngineMissing", `${options.what}: ${messageOf(cause)}`, { cause });
    }
  }

  constructor(process: StreamedProcess, clock: Clock, options: CommandOptions) {
    this.#process = process;
    this.#clock = clock;
    this.#options = options;
    this.stdout = this.#heard(process.stdout);
    this.#awaitWord();
    this.#words = this.#listen();
    const { signal } = options;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    if (signal?.aborted) this.stop();
  }

  /** Asks restic to end and to remove its lock; ends it by force when it does not. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#process.kill("SIGINT");
    this.#cancelKill = this.#clock.after(CLEAN_UP_MS, () => this.#process.kill("SIGKILL"));
  }

  /** Waits for the end; the output must have been read, or is not wanted any more. */
  async finish(): Promise<ResticEnd> {
    if (this.#stopped) await drain(this.stdout);
    await this.#words;
    const ended: ProcessEnd = await this.#process.ended;
    this.#cancelKill();
    this.#cancelSilence();
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    throwIfAborted(this.#options.what, this.#options.signal);
    const end = { ...ended, words: this.#said };
    const { what, accept = [] } = this.#options;
    if (end.code === 0 || (end.code !== null && accept.includes(end.code))) return end;
    throw resticFailure(what, this.#impatient ? { ...end, code: 1, signal: null } : end);
  }

  get #impatient(): boolean {
    return this.#retries >= SHORT_PATIENCE_RETRIES;
  }

  #awaitWord(): void {
    const { silenceMs } = this.#options;
    this.#cancelSilence();
    if (silenceMs === undefined) return;
    this.#cancelSilence = this.#clock.after(silenceMs, () => {
      this.#said += `nothing was heard for ${silenceMs / 1000} s: i/o timeout\n`;
      this.#retries = SHORT_PATIENCE_RETRIES;
      this.stop();
    });
  }

  async *#heard(output: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of output) {
      this.#awaitWord();
      yield chunk;
    }
  }

  /** Counts what is not worth waiting for: by the caller's patience, or since no waiting will cure it. */
  #onRetry(line: string): void {
    const curable = resticFailure("", { code: 1, signal: null, words: line }).retry === "transient";
    if (curable && this.#options.patience !== "Short") return;
    this.#retries += 1;
    if (this.#impatient) this.stop();
  }

  async #listen(): Promise<void> {
    for await (const line of lines(this.#process.stderr)) {
      const value = parsed(line);
      this.#options.onLine?.(value);
      this.#said = `${this.#said}${wordsOf(value)}\n`.slice(-WORDS_KEPT);
      if (/returned error, retrying after/.test(line)) this.#onRetry(line);
    }
  }
}

async function drain(output: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _ of output);
  } catch {
    // It was being read by someone who stopped: it is closed.
  }
}

/** A line as JSON, or as it is: restic mixes both, and newer versions may say more. */
function parsed(line: string): unknown {
  if (!line.startsWith("{")) return line;
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

function wordsOf(line: unknown): string {
  if (typeof line === "string") return line;
  const { message, error } = line as { message?: unknown; error?: { message?: unknown } };
  return String(message ?? error?.message ?? JSON.stringify(line));
}
