import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/result.ts";
import type { StreamedProcess, StreamedProcesses } from "../../lib/streamed_process.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Progress } from "../../wire/progress.ts";
import { throwIfAborted } from "../aborted.ts";
import { type KopiaEnd, kopiaFailure } from "./failure.ts";
import { consoleLines, parseProgress } from "./progress.ts";

/** How kopia is run for one repository. */
export interface KopiaProgram {
  readonly program: string;
  readonly processes: StreamedProcesses;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string>>;
}

export interface CommandOptions {
  /** What is being done, as the beginning of an error's message: "listing snapshots". */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly env?: Readonly<Record<string, string>>;
  /** Whose failures its words are about, when in doubt. Default `repository`. */
  readonly context?: "repository" | "target";
  /** Failures that the caller looks into itself. Default: none. */
  readonly accept?: (end: KopiaEnd & { readonly stdout: string }) => boolean;
}

/** On every command: nothing is written but what the command is for, and nothing is asked of the network beyond it. */
const EVERY_COMMAND = [
  "--no-auto-maintenance",
  "--disable-file-logging",
  "--disable-content-log",
  "--disable-color",
  "--no-use-keyring",
  "--error-notifications=never",
  "--progress-update-interval=500ms",
];

const WORDS_KEPT = 16 * 1024;
const OUTPUT_KEPT = 64 * 2 ** 20;
/** kopia may be sending its last blob; it holds no lock that a kill would leave behind. */
const CLEAN_UP_MS = 10_000;

/** Runs kopia to its end. Rejects with an EngineError. */
export async function runKopia(
  kopia: KopiaProgram,
  args: readonly string[],
  options: CommandOptions,
): Promise<KopiaEnd & { readonly stdout: string }> {
  const run = await RunningKopia.start(kopia, args, options);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of run.stdout) {
    size += part.length;
    if (size <= OUTPUT_KEPT) parts.push(part);
  }
  const end = { ...(await run.ended()), stdout: Buffer.concat(parts).toString("utf8") };
  if (!options.accept?.(end)) run.check(end);
  return end;
}

/** Runs kopia and yields what it writes to standard output. Ends it when the reader stops early. */
export async function* streamKopia(
  kopia: KopiaProgram,
  args: readonly string[],
  options: CommandOptions,
): AsyncIterable<Uint8Array> {
  const run = await RunningKopia.start(kopia, args, options);
  let complete = false;
  try {
    yield* run.stdout;
    complete = true;
  } finally {
    if (!complete) run.stop();
    const end = await run.ended();
    if (complete) run.check(end);
  }
}

class RunningKopia {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly #process: StreamedProcess;
  readonly #options: CommandOptions;
  readonly #clock: Clock;
  readonly #onAbort = () => this.stop();
  readonly #listening: Promise<void>;
  #words = "";
  #stopped = false;
  #cancelKill = () => {};

  static async start(
    kopia: KopiaProgram,
    args: readonly string[],
    options: CommandOptions,
  ): Promise<RunningKopia> {
    throwIfAborted(options.what, options.signal);
    const { stdin, env } = options;
    try {
      const process = await kopia.processes.start(kopia.program, [...args, ...EVERY_COMMAND], {
        env: { ...kopia.env, ...env },
        ...(stdin ? { stdin } : {}),
      });
      return new RunningKopia(process, kopia.clock, options);
    } catch (cause) {
      throw new EngineError("EngineMissing", `${options.what}: ${messageOf(cause)}`, { cause });
    }
  }

  constructor(process: StreamedProcess, clock: Clock, options: CommandOptions) {
    this.#process = process;
    this.#clock = clock;
    this.#options = options;
    this.stdout = process.stdout;
    this.#listening = this.#listen();
    options.signal?.addEventListener("abort", this.#onAbort, { once: true });
    if (options.signal?.aborted) this.stop();
  }

  /** Asks kopia to end; ends it by force when it does not. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#process.kill("SIGTERM");
    this.#cancelKill = this.#clock.after(CLEAN_UP_MS, () => this.#process.kill("SIGKILL"));
  }

  async ended(): Promise<KopiaEnd> {
    await this.#listening;
    const end = await this.#process.ended;
    this.#cancelKill();
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    return { ...end, words: this.#words };
  }

  check(end: KopiaEnd): void {
    const { what, signal, context } = this.#options;
    throwIfAborted(what, signal);
    if (end.code !== 0) throw kopiaFailure(what, end, context);
  }

  async #listen(): Promise<void> {
    for await (const line of consoleLines(this.#process.stderr)) {
      const found = parseProgress(line);
      if (found) this.#options.onProgress?.(found.progress);
      const words = found ? found.rest : line.trim();
      if (words !== "")
        this.#words = `${this.#words}${words}
`.slice(-WORDS_KEPT);
    }
  }
}
