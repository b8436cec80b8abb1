import { basename, dirname } from "node:path";
import { isRecord } from "../../lib/json.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Progress } from "../../wire/progress.ts";
import type { SnapshotOptions } from "../engine.ts";
import { estimated } from "../estimated.ts";
import { runRestic } from "./command.ts";
import { ignoreArguments } from "./ignore_patterns.ts";
import { knownFigures } from "./known_figures.ts";
import { backupMustMove } from "./must_move.ts";
import { withoutItem } from "./output_line.ts";
import type { Remains } from "./remains.ts";
import type { RepositoryContext } from "./repository_context.ts";
import { type ResticSnapshot, tagArguments } from "./snapshot_record.ts";
import { Unreadable } from "./unreadable.ts";

/** restic took the snapshot, without some of the source's files. */
const INCOMPLETE = 3;

/** What is found out before. */
export interface BackupGround {
  readonly previous: ResticSnapshot | undefined;
  readonly remains: Remains;
}

/** What restic said of a backup. */
export interface BackupOutcome {
  /** Its last words. */
  readonly summary: Readonly<Record<string, unknown>>;
  readonly unreadable: Unreadable;
  /** Why it ended without last words: it was told to. */
  readonly stopped?: unknown;
}

/**
 * Runs restic's own backup. At the first file that it cannot read, and may not leave out, it is ended: what lacks files
 * could be told from what does not by a mark alone, which comes after the snapshot, and may come too late.
 */
export async function runBackup(
  context: RepositoryContext,
  options: SnapshotOptions,
  ground: BackupGround,
): Promise<BackupOutcome> {
  const { source, signal } = options;
  const watch: Watch = { summary: {}, unreadable: new Unreadable(), harmless: 0 };
  const onProgress = estimated(ground.remains.survey, context.restic.clock, options.onProgress);
  const unfit = new AbortController();
  const onLine = (line: unknown) => {
    onBackupLine(line, watch, onProgress);
    if (watch.unreadable.count > 0 && options.unreadable !== "Skip") unfit.abort();
  };
  try {
    const { code } = await runRestic(context.restic, backupArguments(options, ground), {
      what: `backing up ${source}`,
      signal: AbortSignal.any(signal ? [signal, unfit.signal] : [unfit.signal]),
      cwd: dirname(source),
      // What restic records as the snapshot's path; without it symbolic links in the path are resolved.
      env: { PWD: dirname(source) },
      accept: [INCOMPLETE],
      mustMove: backupMustMove,
      onLine,
    });
    // Something is missing, and it did not say what, or not in words that are known.
    if (code === INCOMPLETE && watch.unreadable.count + watch.harmless === 0) watch.unreadable.addUnnamed();
    return watch;
  } catch (stopped) {
    if (!unfit.signal.aborted && !signal?.aborted) throw stopped;
    // They say that it is done, however it ended.
    return watch.summary.message_type === undefined ? { ...watch, stopped } : watch;
  }
}

function backupArguments(options: SnapshotOptions, { previous, remains }: BackupGround): readonly string[] {
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
    // A copy has inodes and change times of its own: by these, every file of it would count as changed.
    ...(options.staged ? ["--ignore-inode", "--ignore-ctime"] : []),
    // What is ahead is known from the survey: no need for restic to walk through the source twice.
    "--no-scan",
    ...(previous === undefined ? [] : ["--parent", previous.snapshot.id, "--skip-if-unchanged"]),
    ...extraArgs,
    `./${basename(source)}`,
  ];
}

interface Watch {
  summary: Record<string, unknown>;
  readonly unreadable: Unreadable;
  /** Told as errors, and nothing is missing for them. */
  harmless: number;
}

function onBackupLine(line: unknown, watch: Watch, onProgress?: (progress: Progress) => void): void {
  if (!isRecord(line)) return;
  if (line.message_type === "summary") {
    watch.summary = line;
    onProgress?.(finalProgress(line));
  } else if (line.message_type === "status") onProgress?.(backupProgress(line));
  else if (line.message_type === "error" && line.during !== "scan" && typeof line.item === "string") {
    const why = isRecord(line.error) ? String(line.error.message) : "";
    const reason = withoutItem(why, line.item);
    if (isVanished(reason) || STORED_AGAIN.test(reason)) watch.harmless += 1;
    else if (!OF_ITS_END.test(reason)) watch.unreadable.add(line.item);
  }
}

/** The repository lacks something of an earlier snapshot, and gets it again with this one. */
const STORED_AGAIN = /; storing the file again$|tree \S+ (?:could not be loaded|is not known);/;

/**
 * What was under way when restic had to end, or could not be stored, after which it ends: why it had to, it says elsewhere.
 */
const OF_ITS_END = /: context canceled$|^no result$|\brestic-temp-pack-\d+: /;

/**
 * Gone since its folder was read: there is nothing left that could be missing. A reason ends with what the system said;
 * before that there may be names of files, which can be anything.
 */
function isVanished(why: string): boolean {
  return why.split("\n").every((line) => /: no such file or directory\s*$/.test(line));
}

function backupProgress(line: Record<string, unknown>): Progress {
  return knownFigures({
    files: line.files_done,
    bytes: line.bytes_done,
    estimatedFiles: line.total_files,
    estimatedBytes: line.total_bytes,
    secondsRemaining: line.seconds_remaining,
    errors: line.error_count,
  });
}

/** The last word, also of a backup too short for any other. */
function finalProgress({
  total_files_processed: files,
  total_bytes_processed: bytes,
}: Record<string, unknown>): Progress {
  if (typeof files !== "number" || typeof bytes !== "number") return {};
  return { files, bytes, estimatedFiles: files, estimatedBytes: bytes };
}
