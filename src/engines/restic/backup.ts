import { mkdtemp } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isRecord } from "../../lib/json.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Progress } from "../../wire/progress.ts";
import type { SnapshotOptions, SnapshotResult } from "../engine.ts";
import { estimated } from "../estimated.ts";
import { mayReferTo } from "../may_refer_to.ts";
import { SourceFolder } from "../source_folder.ts";
import { together } from "../together.ts";
import { type ResticProgram, runRestic } from "./command.ts";
import { Gate } from "./gate.ts";
import { guarded } from "./guarded.ts";
import { ignoreArguments } from "./ignore_patterns.ts";
import { backupMustMove } from "./must_move.ts";
import { OpenedSign } from "./opened_sign.ts";
import { type Remains, readRemains } from "./remains.ts";
import { findSnapshot, lastSnapshot, type RepositoryContext, textOf } from "./repository_context.ts";
import {
  INCOMPLETE_TAG,
  LEFT_OUT_TAG,
  madeSnapshot,
  type ResticSnapshot,
  tagArguments,
  tagText,
} from "./snapshot_record.ts";
import { Unreadable } from "./unreadable.ts";

/** restic took the snapshot, without some of the source's files. */
const INCOMPLETE = 3;
const EXAMPLES = 20;

/** Takes a snapshot. */
export async function backup(context: RepositoryContext, options: SnapshotOptions): Promise<SnapshotResult> {
  const { source, signal } = options;
  const call = { what: `backing up ${source}`, signal };
  if (context.readOnly)
    throw new EngineError("ReadOnly", `${call.what}: the repository was opened read-only`);
  if (basename(source) === "") throw new EngineError("SourceMissing", `${call.what}: it has no name`);
  const folder = await SourceFolder.look(source, call.what);
  const [[previous, waiting], remains] = await together(
    signal,
    (abort) =>
      Promise.all([
        options.skipIdentical ? lastToReferTo(context, options, { ...call, signal: abort }) : undefined,
        context.identification.known === undefined ? makeWaiting(context, abort) : undefined,
      ]),
    (abort) => readRemains(context.fidelity, { ...options, signal: abort }),
  );
  const { summary, unreadable } = await runBackup(context, options, { previous, waiting, remains });
  // It may name a snapshot all the same, which nobody will find.
  if (summary.dry_run === true)
    throw new EngineError("InvalidOption", `${call.what}: restic only tried it, and made nothing`, {
      remedy: "Remove --dry-run from the extra arguments.",
    });
  const { snapshot_id: id } = summary;
  const taken = typeof id === "string" && id !== "" ? id : undefined;
  const lost = await folder.lost();
  if (lost) {
    if (taken !== undefined) {
      const forget = () => runRestic(context.restic, ["forget", taken], { what: call.what });
      await afterTaking(taken, "removed", forget);
    }
    throw lost;
  }
  const losses = { losses: remains.losses, unreadable: unreadable.first(EXAMPLES) };
  const mayLack = options.unreadable === "Skip";
  if (taken === undefined) {
    // They were missing before, too.
    if (unreadable.count > 0 && !mayLack) throw sourceUnreadable(call.what, unreadable);
    // Only the last words of a backup say that nothing has changed.
    if (previous === undefined || summary.message_type === undefined)
      throw new EngineError("EngineFailed", `${call.what}: restic named no snapshot`);
    return { snapshot: previous.snapshot, unchanged: true, addedBytes: 0, ...losses };
  }
  if (unreadable.count > 0) {
    const mark = () => markMissing(context, taken, unreadable.count, options);
    await afterTaking(taken, mayLack ? "marked as lacking files" : "marked as incomplete", mark);
  }
  const snapshot =
    unreadable.count > 0
      ? (await byRun(context, options)).snapshot
      : (madeSnapshot(summary, { ...options, remains }) ??
        (await findSnapshot(context, taken, call)).snapshot);
  if (unreadable.count > 0 && !mayLack) throw sourceUnreadable(call.what, unreadable);
  const added = summary.data_added_packed;
  return {
    snapshot,
    unchanged: false,
    ...(typeof added === "number" ? { addedBytes: added } : {}),
    ...losses,
  };
}

/** The identity's last snapshot, where an identical one may be left out for it. */
async function lastToReferTo(
  context: RepositoryContext,
  options: SnapshotOptions,
  call: Parameters<typeof lastSnapshot>[2],
): Promise<ResticSnapshot | undefined> {
  const last = await lastSnapshot(context, options.identity, call);
  if (!last || last.snapshot.incomplete !== undefined) return undefined;
  return mayReferTo(last.snapshot, options) ? last : undefined;
}

/** What is found out before. */
interface Ground {
  readonly previous: ResticSnapshot | undefined;
  /** Undefined when it was known which repository it is. */
  readonly waiting: Waiting | undefined;
  readonly remains: Remains;
}

/** What it takes for restic to wait until it is known which repository it is. */
interface Waiting {
  /** For the gate. */
  readonly pipe: string;
  /** By which restic says that itself, where it can. */
  readonly sign: OpenedSign | undefined;
}

/** What a run is given that waits at a gate. */
interface AtGate {
  readonly more?: readonly string[];
  readonly sign?: OpenedSign | undefined;
}

async function makeWaiting(context: RepositoryContext, signal: AbortSignal): Promise<Waiting> {
  const { folder, fidelity, early, identification } = context;
  const pipe = join(await mkdtemp(join(folder, "gate-")), "gate");
  const [sign] = await Promise.all([
    OpenedSign.make(early, folder, identification.expected),
    fidelity.pipe(pipe, signal),
  ]);
  return { pipe, sign };
}

async function runBackup(
  context: RepositoryContext,
  options: SnapshotOptions,
  ground: Ground,
): Promise<Watch> {
  const { source, signal } = options;
  const watch: Watch = { summary: {}, unreadable: new Unreadable() };
  const onProgress = estimated(ground.remains.survey, context.restic.clock, options.onProgress);
  const run = (restic: ResticProgram, abort: AbortSignal | undefined, { more, sign }: AtGate = {}) =>
    runRestic(restic, backupArguments(options, ground, more ?? []), {
      what: `backing up ${source}`,
      signal: abort,
      cwd: dirname(source),
      // What restic records as the snapshot's path; without it symbolic links in the path are resolved.
      env: { PWD: dirname(source) },
      accept: [INCOMPLETE],
      mustMove: backupMustMove,
      ...(sign ? { aside: (line: string) => sign.heard(line) } : {}),
      onLine: (line) => onBackupLine(line, watch, onProgress),
    });
  if (ground.waiting === undefined) await run(context.restic, signal);
  else {
    const { identification, early } = context;
    const sign = identification.sought ? undefined : ground.waiting.sign;
    // Nothing that may fail comes between this and who opens it: it holds a descriptor until then.
    const gate = new Gate(ground.waiting.pipe);
    // restic reads these patterns, of which there are none, once it has the lock, and before anything else.
    const guard = { gate, identification, shown: sign?.seen, clock: early.clock, signal };
    const restic = sign?.in(early) ?? early;
    await guarded(guard, (abort) => run(restic, abort, { more: ["--exclude-file", gate.path], sign }));
  }
  return watch;
}

function backupArguments(
  options: SnapshotOptions,
  { previous, remains }: Ground,
  more: readonly string[],
): readonly string[] {
  const { source, identity, ignore = {}, compression = {}, extraArgs = [] } = options;
  if (identity.path !== source) {
    throw new EngineError(
      "Unsupported",
      `restic records the path ${source}, and cannot record ${identity.path}`,
      {
        remedy: "Mount the volume at the identity's path, or use kopia.",
      },
    );
  }
  if (compression.neverCompress && compression.neverCompress.length > 0) {
    throw new EngineError("Unsupported", "restic cannot leave single files uncompressed");
  }
  if (options.splitter !== undefined) {
    throw new EngineError("Unsupported", "restic has no choice of splitter");
  }
  const compressor = compression.compressor ?? "auto";
  return [
    ...["backup", "--json", "--host", identity.hostname, ...tagArguments({ ...options, remains })],
    ...["--compression", compressor === "none" ? "off" : compressor],
    ...ignoreArguments(source, ignore),
    ...(options.parallel === undefined ? [] : ["--read-concurrency", String(options.parallel)]),
    ...(options.oneFileSystem ? ["--one-file-system"] : []),
    // What is ahead is known from the survey: no need for restic to walk through the source twice.
    "--no-scan",
    ...(previous === undefined ? [] : ["--parent", previous.snapshot.id, "--skip-if-unchanged"]),
    ...more,
    ...extraArgs,
    `./${basename(source)}`,
  ];
}

interface Watch {
  summary: Record<string, unknown>;
  readonly unreadable: Unreadable;
}

function onBackupLine(line: unknown, watch: Watch, onProgress?: (progress: Progress) => void): void {
  if (!isRecord(line)) return;
  if (line.message_type === "summary") {
    watch.summary = line;
    onProgress?.(finalProgress(line));
  } else if (line.message_type === "status") onProgress?.(backupProgress(line));
  else if (line.message_type === "error" && line.during !== "scan" && typeof line.item === "string") {
    const why = isRecord(line.error) ? String(line.error.message) : "";
    // Gone since its folder was read: there is nothing left that could be missing.
    if (!/no such file or directory/.test(why)) watch.unreadable.add(line.item);
  }
}

function backupProgress(line: Record<string, unknown>): Progress {
  const figures = {
    files: line.files_done,
    bytes: line.bytes_done,
    hashedBytes: line.bytes_done,
    estimatedFiles: line.total_files,
    estimatedBytes: line.total_bytes,
    secondsRemaining: line.seconds_remaining,
    errors: line.error_count,
  };
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => typeof value === "number"));
}

/** The last word, also of a backup too short for any other. */
function finalProgress({
  total_files_processed: files,
  total_bytes_processed: bytes,
}: Record<string, unknown>): Progress {
  if (typeof files !== "number" || typeof bytes !== "number") return {};
  return { files, bytes, hashedBytes: bytes, estimatedFiles: files, estimatedBytes: bytes };
}

/**
 * Does something to the snapshot that was taken. A lock that is in the way of that is no reason to begin anew, which
 * the class `Locked` would be: there would be a second snapshot of the same run.
 */
async function afterTaking(taken: string, done: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!(cause instanceof EngineError) || cause.class !== "Locked") throw cause;
    const { message, remedy, detail } = cause;
    throw new EngineError(
      "EngineFailed",
      `snapshot ${taken} was taken, and could not be ${done}: ${message}`,
      { cause, remedy, ...(detail === undefined ? {} : { detail }) },
    );
  }
}

async function markMissing(
  { restic }: RepositoryContext,
  id: string,
  count: number,
  { signal, source, unreadable }: SnapshotOptions,
): Promise<void> {
  const tag = tagText(unreadable === "Skip" ? LEFT_OUT_TAG : INCOMPLETE_TAG, String(count));
  const what = `noting what the backup of ${source} lacks`;
  await textOf(restic, ["tag", "--add", tag, id], { what, signal });
}

async function byRun(context: RepositoryContext, options: SnapshotOptions): Promise<ResticSnapshot> {
  const { identity, run, signal, source } = options;
  const found = await lastSnapshot(context, { ...identity, run }, { what: `backing up ${source}`, signal });
  if (found === undefined) throw new EngineError("SnapshotMissing", `the backup of ${source} is gone again`);
  return found;
}

function sourceUnreadable(what: string, unreadable: Unreadable): EngineError {
  const { count } = unreadable;
  const some = unreadable.first(3).join(", ");
  const more = count > 3 ? ` and ${count - 3} more` : "";
  return new EngineError("SourceUnreadable", `${what}: ${count} could not be read: ${some}${more}`);
}
