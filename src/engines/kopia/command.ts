import { EngineError } from "../../wire/engine_error.ts";
import type { Progress } from "../../wire/progress.ts";
import { throwIfAborted } from "../aborted.ts";
import { Idleness } from "../idleness.ts";
import type { Meter } from "../meter.ts";
import { type EngineProgram, type ProgramEnd, RunningProgram } from "../running_program.ts";
import { coarseness, Standstill } from "../standstill.ts";
import { type Concern, kopiaFailure } from "./failure.ts";
import { consoleLines, parseProgress } from "./progress.ts";

export interface CommandOptions extends Concern {
  /** What is being done, as the beginning of an error's message: "listing snapshots". */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
  /** `cachedFiles`: those that a snapshot took over from an earlier one. */
  readonly onProgress?: ((progress: Progress, cachedFiles?: number) => void) | undefined;
  /** Is told what kopia moves, and its progress, too. Default: nobody. */
  readonly meter?: Meter | undefined;
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly env?: Readonly<Record<string, string>>;
  /** Ends it as Unreachable after so long: some storage clients retry in silence, and for ever. Default: never. */
  readonly patienceMs?: number | undefined;
  /**
   * Ends it as Unreachable once it has stood still for too long, as its progress says, or what is read of it while it
   * runs. It may wait for its input, and for its reader. Default false: it may be silent, and is ended, unless
   * `patienceMs` does that, when it does next to nothing for so long.
   */
  readonly mustMove?: boolean;
  /** Is told each line beside its progress; those for which it returns true are not kept. */
  readonly overlook?: (line: string) => boolean;
  /** Failures that the caller looks into itself. Default: none. */
  readonly accept?: (end: KopiaOutput) => boolean;
}

/** How kopia ended, and everything that it printed. */
export interface KopiaOutput extends ProgramEnd {
  readonly stdout: string;
}

/** On every command: nothing is written but what the command is for, and nothing is asked of the network beyond it. */
const EVERY_COMMAND = [
  "--no-auto-maintenance",
  "--disable-file-logging",
  "--disable-content-log",
  "--disable-color",
  "--no-use-keyring",
  "--error-notifications=never",
  // What watches for a standstill lives by it, and without a terminal kopia shows none by itself.
  "--progress",
  "--progress-update-interval=500ms",
];

const OUTPUT_KEPT = 64 * 2 ** 20;

/** kopia may be sending its last blob; it holds no lock that a kill would leave behind. */
const FAREWELL = { signal: "SIGTERM", ms: 10_000 } as const;

/** Runs kopia to its end. Rejects with an EngineError. */
export async function runKopia(
  kopia: EngineProgram,
  args: readonly string[],
  options: CommandOptions,
): Promise<KopiaOutput> {
  using waiting = waitFor(kopia, options);
  const { standstill } = waiting;
  const onProgress = (progress: Progress, cachedFiles?: number) => {
    const { secondsRemaining: _, ...figures } = progress;
    standstill?.seen(figures, coarseness(figures, kopia.limits));
    options.onProgress?.(progress, cachedFiles);
    options.meter?.printed(progress);
  };
  const { stdin } = options;
  const input = stdin && standstill ? { stdin: awaited(stdin, standstill) } : {};
  const run = await start(kopia, args, { ...options, ...input, onProgress });
  waiting.watch(run);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of run.stdout) {
    size += part.length;
    if (size <= OUTPUT_KEPT) parts.push(part);
  }
  const end = { ...(await run.ended()), stdout: Buffer.concat(parts).toString("utf8") };
  waiting.check();
  if (!options.accept?.(end)) check(end, options);
  if (size > OUTPUT_KEPT)
    throw new EngineError("EngineFailed", `${options.what}: kopia wrote too much to read`);
  return end;
}

/** Runs kopia and yields what it writes to standard output. Ends it when the reader stops early. */
export async function* streamKopia(
  kopia: EngineProgram,
  args: readonly string[],
  options: CommandOptions,
): AsyncIterable<Uint8Array> {
  using waiting = waitFor(kopia, options);
  const run = await start(kopia, args, options);
  waiting.watch(run);
  let complete = false;
  let bytes = 0;
  try {
    for await (const part of run.stdout) {
      bytes += part.length;
      waiting.standstill?.seen({ bytes });
      waiting.pause();
      yield part;
      waiting.resume();
    }
    complete = true;
  } finally {
    if (!complete) run.stop();
    const end = await run.ended();
    waiting.check();
    if (complete) check(end, options);
  }
}

/** The input. While there is none, nothing has to move. */
async function* awaited(input: AsyncIterable<Uint8Array>, standstill: Standstill): AsyncIterable<Uint8Array> {
  standstill.pause();
  for await (const part of input) {
    standstill.resume();
    yield part;
    standstill.pause();
  }
  standstill.resume();
}

/** Ends a run that takes longer, or stands still for longer, than is allowed; check() throws when that was so. */
function waitFor(
  { clock, standstillMs, limits }: EngineProgram,
  { what, patienceMs, mustMove = false }: CommandOptions,
) {
  let lost: string | undefined;
  let end = () => {};
  const lose = (why: (time: string) => string) => (ms: number) => {
    lost ??= why(`${Math.round(ms / 1000)} s`);
    end();
  };
  const unanswered = lose((time) => `the storage did not answer within ${time}`);
  const cancel = patienceMs === undefined ? () => {} : clock.after(patienceMs, () => unanswered(patienceMs));
  const stuck = lose((time) => `the storage let nothing pass for ${time}`);
  const standstill =
    mustMove && standstillMs !== undefined ? new Standstill(clock, standstillMs, stuck) : undefined;
  let idleness: Idleness | undefined;
  return {
    standstill,
    /** What is to be ended, as soon as there is something. */
    watch: (run: Pick<RunningProgram, "stop" | "effort">) => {
      end = () => run.stop();
      if (lost !== undefined) return run.stop();
      if (mustMove || patienceMs !== undefined || standstillMs === undefined) return;
      idleness = new Idleness({ clock, ms: standstillMs, limits, effort: () => run.effort(), end: stuck });
    },
    /** What was read of it is with its reader, who takes as long as he likes. */
    pause: () => {
      standstill?.pause();
      idleness?.pause();
    },
    resume: () => {
      standstill?.resume();
      idleness?.resume();
    },
    check: () => {
      if (lost !== undefined) throw new EngineError("Unreachable", `${what}: ${lost}`);
    },
    [Symbol.dispose]: () => {
      cancel();
      standstill?.[Symbol.dispose]();
      idleness?.[Symbol.dispose]();
    },
  };
}

function start(kopia: EngineProgram, args: readonly string[], options: CommandOptions) {
  const { what, signal, meter, stdin, env } = options;
  const listen = (words: AsyncIterable<Uint8Array>) => wordsOf(words, options);
  const told = { args: [...args, ...EVERY_COMMAND], what, signal, meter, farewell: FAREWELL };
  return RunningProgram.start(kopia, { ...told, stdin, env, listen });
}

function check(end: ProgramEnd, options: CommandOptions): void {
  const { what, signal } = options;
  throwIfAborted(what, signal);
  if (end.code !== 0) throw kopiaFailure(what, end, options);
}

/** What kopia says beside its progress, which is reported. */
async function* wordsOf(
  errors: AsyncIterable<Uint8Array>,
  { onProgress, overlook }: CommandOptions,
): AsyncIterable<string> {
  for await (const line of consoleLines(errors)) {
    const found = parseProgress(line);
    if (found) onProgress?.(found.progress, found.cachedFiles);
    const words = found ? found.rest : line.trim();
    if (words !== "" && !overlook?.(words)) yield words;
  }
}
