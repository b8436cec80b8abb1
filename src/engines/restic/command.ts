import { isRecord } from "../../lib/json.ts";
import { lines } from "../../lib/lines.ts";
import { throwIfAborted } from "../aborted.ts";
import type { Meter } from "../meter.ts";
import { parsedLine } from "../parsed_line.ts";
import { type EngineProgram, type ProgramEnd, RunningProgram } from "../running_program.ts";
import { resticFailure } from "./failure.ts";
import { Patience, type PatienceOptions } from "./patience.ts";

export interface ResticProgram extends EngineProgram {
  /** Arguments of every command. */
  readonly args: readonly string[];
}

export interface CommandOptions extends PatienceOptions {
  /** What is being done, as the beginning of an error's message: "listing snapshots". */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
  /** Is told what restic moves. Default: nobody. */
  readonly meter?: Meter | undefined;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that are no failure, beside 0. */
  readonly accept?: readonly number[];
  /** Called with each line that restic writes on either output, parsed when it is JSON. */
  readonly onLine?: (line: unknown) => void;
}

/** It removes its lock before it ends. */
const FAREWELL = { signal: "SIGINT", ms: 20_000 } as const;

/** Runs restic to its end and gives every line to `onLine`. Rejects with an EngineError. */
export async function runRestic(
  restic: ResticProgram,
  args: readonly string[],
  options: CommandOptions,
): Promise<ProgramEnd> {
  const run = await RunningRestic.start(restic, args, options);
  const reading = (async () => {
    for await (const line of lines(run.stdout)) {
      const value = parsedLine(line);
      if (isRecord(value) && value.message_type === "status") run.patience.seen(value);
      options.onLine?.(value);
    }
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
  let bytes_read = 0;
  try {
    for await (const part of run.stdout) {
      bytes_read += part.length;
      run.patience.seen({ bytes_read });
      run.patience.pause();
      yield part;
      run.patience.resume();
    }
    complete = true;
  } finally {
    if (complete) await run.finish();
    else {
      run.stop();
      await run.finish().catch(() => {});
    }
  }
}

/** Runs restic, and ends it when it waits for what is not worth waiting for. */
class RunningRestic {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly patience: Patience;
  readonly #running: RunningProgram;
  readonly #options: CommandOptions;

  static async start(
    restic: ResticProgram,
    args: readonly string[],
    options: CommandOptions,
  ): Promise<RunningRestic> {
    const { what, signal, meter, cwd, env } = options;
    const patience = new Patience(restic.clock, options, restic);
    const listen = (errors: AsyncIterable<Uint8Array>) => wordsOf(errors, options, patience);
    const run = {
      args: [...restic.args, ...args],
      what,
      signal,
      meter,
      cwd,
      env,
      listen,
      farewell: FAREWELL,
    };
    const running = await RunningProgram.start(restic, run);
    patience.onEnd(
      () => running.stop(),
      () => running.effort(),
    );
    return new RunningRestic(running, patience, options);
  }

  constructor(running: RunningProgram, patience: Patience, options: CommandOptions) {
    this.#running = running;
    this.patience = patience;
    this.#options = options;
    this.stdout = this.#heard(running.stdout);
  }

  stop(): void {
    this.#running.stop();
  }

  /** Waits for the end; the output must have been read, or is not wanted any more. */
  async finish(): Promise<ProgramEnd> {
    const { what, signal, accept = [] } = this.#options;
    if (this.#running.stopped) await drain(this.stdout);
    const ended = await this.#running.ended();
    this.patience.done();
    // What was done before it heard that it is to end is done.
    if (ended.code === 0 || (ended.code !== null && accept.includes(ended.code))) return ended;
    throwIfAborted(what, signal);
    const { lost } = this.patience;
    if (lost === undefined) throw resticFailure(what, ended);
    throw resticFailure(what, { code: 1, signal: null, words: `${ended.words}${lost}` }, { ended: true });
  }

  async *#heard(output: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of output) {
      this.patience.heard();
      yield chunk;
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

/** Everything that restic says on standard error, which is also given to the caller. */
async function* wordsOf(
  errors: AsyncIterable<Uint8Array>,
  { onLine }: CommandOptions,
  patience: Patience,
): AsyncIterable<string> {
  for await (const line of lines(errors)) {
    onLine?.(parsedLine(line));
    if (/returned error, retrying after/.test(line)) patience.retried(line);
    yield line;
  }
}
