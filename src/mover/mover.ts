import { rmSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { OpenOptions, Repository } from "../engines/engine.ts";
import { type Clock, type Deadline, deadline } from "../lib/clock.ts";
import { messageOf } from "../lib/result.ts";
import { CAPABILITIES } from "../wire/capabilities.ts";
import type { PodVolumeCommand } from "../wire/pod_volume_args.ts";
import { type Answer, type OpenedRepository, REPORT_VERSION, type Result } from "../wire/report.ts";
import { type WorkSpec, workKind } from "../wire/work.ts";
import type { Env, MakeEngine } from "./engine_maker.ts";
import { endingOf } from "./failure.ts";
import { type Opening, openRepository } from "./opened.ts";
import { CACHE_FORBIDDEN, cachePlace, withFullDisk } from "./own_disk.ts";
import { type Layout, realLayout, realPaths, realSpec } from "./path_map.ts";
import { commandedSpec, commandOf, logOf } from "./pod_volume_command.ts";
import { withOtherUser } from "./refused_files.ts";
import { leaveWords } from "./report/leave_words.ts";
import { Reporter } from "./report/reporter.ts";
import { terminationMessage } from "./report/shorten.ts";
import type { Listen } from "./session/listening.ts";
import { runSession } from "./session/session.ts";
import { roomAround } from "./size/room.ts";
import { sizesFor } from "./size/sizes.ts";
import { BadWork } from "./spec/bad_work.ts";
import { parseWork, runOf } from "./spec/parse_work.ts";
import { startSignal } from "./start_signal.ts";
import { checkMounted } from "./work/check_mounted.ts";
import type { WorkContext } from "./work/context.ts";
import { perform } from "./work/perform.ts";
import { releaseLocks } from "./work/release_locks.ts";

export interface MoverOptions {
  readonly env: Env;
  readonly clock: Clock;
  readonly makeEngine: MakeEngine;
  /** Takes a line of the report. */
  readonly write: (line: string) => void;
  /** Aborts when the mover is told to end. */
  readonly signal: AbortSignal;
  /** For sessions. */
  readonly listen: Listen;
  /** Of the command line. Default: none, the work spec says it all. */
  readonly args?: readonly string[];
}

/** What is known of the work so far, for the result. */
interface Outcome {
  run: string;
  repository?: OpenedRepository;
  answer?: Answer;
  warnings?: readonly string[];
}

/** Does the work that the pod's work spec names, and reports. Resolves to the exit code; never rejects. */
export async function runMover(options: MoverOptions): Promise<number> {
  const { clock, env, write } = options;
  const startedAt = timeOf(clock);
  const told = commandOf(options.args);
  const reporter = new Reporter({ clock, write, ...(told.ok && told.value ? logOf(told.value) : {}) });
  const outcome: Outcome = { run: "" };
  let layout: Layout | undefined;
  let ending: ReturnType<typeof endingOf> | undefined;
  try {
    const real = realPaths(env.HOLDFAST_PATH_MAP);
    layout = realLayout(real);
    const text = await readWork(layout.work);
    outcome.run = runOf(text);
    if (!told.ok) throw new BadWork(told.error);
    const spec = told.value ? commandedSpec(parseWork(text), told.value) : parseWork(text);
    if (told.value) reporter.log("info", `pod-volume ${told.value.direction} of ${told.value.name}`);
    await work(realSpec(spec, real), layout, { ...options, reporter, outcome, command: told.value });
  } catch (error) {
    ending = endingOf(error, options.signal);
    reporter.log("error", ending.failure.message);
  }
  const result: Result = {
    version: REPORT_VERSION,
    ...outcome,
    startedAt,
    endedAt: timeOf(clock),
    ...(ending ? { failure: ending.failure } : {}),
  };
  if (layout) await leaveWords(layout.termination, terminationMessage(result));
  reporter.result(result);
  return ending?.exitCode ?? 0;
}

interface Inside extends MoverOptions {
  readonly reporter: Reporter;
  readonly outcome: Outcome;
  readonly command: PodVolumeCommand | undefined;
}

async function work(spec: WorkSpec, layout: Layout, inside: Inside): Promise<void> {
  const { reporter, signal: told, makeEngine } = inside;
  using limit = spec.startsBySignal ? undefined : timeLimit(spec, inside);
  reporter.progress("Connecting");
  const place = await cachePlace(layout.cache);
  if (place === "forbidden") warn(inside, CACHE_FORBIDDEN);
  const [room, folder] = await Promise.all([
    // What is in another place than asked for is no larger than it would have been there.
    roomAround(layout.cache, ...(place === "forbidden" ? [layout.scratch] : [])),
    mkdtemp(join(layout.scratch, "holdfast-")),
  ]);
  const opening = {
    engine: spec.engine,
    makeEngine,
    layout,
    folder,
    sizes: sizesFor(room),
    hasCache: place === "writable",
    signal: limit?.signal ?? told,
  };
  const open: Repository[] = [];
  try {
    await onRepository(spec, opening, open, inside);
  } catch (error) {
    const refused = withOtherUser(error, spec.repository.backend);
    throw withFullDisk(refused, { cache: layout.cache, scratch: folder });
  } finally {
    for (const repository of open) await close(repository, reporter);
    // At once: nothing else is left to do, and a dozen trips through the event loop take longer.
    rmSync(folder, { recursive: true, force: true });
  }
}

async function onRepository(
  spec: WorkSpec,
  opening: Opening,
  open: Repository[],
  inside: Inside,
): Promise<void> {
  const { reporter, outcome, clock, listen } = inside;
  if (spec.startsBySignal && "init" in spec.work)
    throw new BadWork("init cannot wait for a start signal: to open the repository is its work");
  let signal = opening.signal;
  const opened = async (
    ...[repository, options]: [WorkSpec["repository"], Parameters<typeof openRepository>[2]?]
  ) => {
    const found = await openRepository(repository, { ...opening, signal }, options);
    open.push(found);
    return found;
  };
  const readOnly = "session" in spec.work ? { readOnly: true } : {};
  const create = "init" in spec.work ? { create: spec.work.init } : {};
  const repository = await inTime(inside, signal, (limited) => {
    signal = limited;
    return opened({ ...spec.repository, ...readOnly }, { ...create, ...restoring(spec) });
  });
  signal = opening.signal;
  if (spec.startsBySignal) await started(spec, opening, inside);
  await checkMounted(spec.work);
  using limit = spec.startsBySignal ? timeLimit(spec, inside) : undefined;
  signal = limit?.signal ?? signal;
  // Whoever reads this takes it that the work had begun.
  outcome.repository = { id: repository.id, created: repository.created };
  const context: WorkContext = {
    run: spec.run,
    endedRuns: spec.endedRuns ?? [],
    repository,
    capabilities: CAPABILITIES[spec.engine],
    signal,
    reporter,
    keep: (answer) => {
      outcome.answer = answer;
    },
    warn: (warning) => warn(inside, warning),
    openDestination: (destination) => opened(destination, { which: "destination" }),
    serve: (work) => runSession({ work, repository, clock, listen, reporter, signal }),
  };
  await releaseLocks(context, spec);
  await perform(context, spec.work);
}

/** Opens a repository within the time that the command line allows. */
async function inTime<T>(
  { clock, command }: Inside,
  signal: AbortSignal,
  open: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (!command) return open(signal);
  using limit = deadline(clock, command.resourceTimeoutSeconds * 1000, "opening the repository", signal);
  return await open(limit.signal);
}

function timeLimit({ deadlineSeconds, work }: WorkSpec, { clock, signal }: Inside): Deadline | undefined {
  if (deadlineSeconds === undefined) return undefined;
  return deadline(clock, deadlineSeconds * 1000, `the work (${workKind(work)})`, signal);
}

/** Waits for the start signal, and says at once that it has come. */
async function started(
  { prepareTimeoutSeconds: seconds, work }: WorkSpec,
  { layout }: Opening,
  { reporter, clock, signal }: Inside,
): Promise<void> {
  reporter.progress("Prepared");
  await startSignal({ file: layout.start, seconds, clock, signal });
  reporter.progress(workKind(work));
}

function warn({ reporter, outcome }: Inside, warning: string): void {
  reporter.log("warn", warning);
  outcome.warnings = [...(outcome.warnings ?? []), warning];
}

/** What opening the repository looks up at once for a restore. */
function restoring({ work }: WorkSpec): Pick<OpenOptions, "restoring"> {
  if (!("restore" in work)) return {};
  const { id, run, identity } = work.restore.snapshot;
  return { restoring: { snapshot: id, ours: run !== undefined && identity !== undefined } };
}

async function readWork(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new BadWork(`the work spec cannot be read: ${messageOf(cause)}`);
  }
}

/** The work is done by then, or has failed for a better reason. */
async function close(repository: Repository, reporter: Reporter): Promise<void> {
  try {
    await repository.close();
  } catch (error) {
    reporter.log("warn", `what the engine left could not be cleaned up: ${messageOf(error)}`);
  }
}

const timeOf = (clock: Clock) => new Date(clock.now()).toISOString();
