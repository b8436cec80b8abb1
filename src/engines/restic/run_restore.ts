import { posix } from "node:path";
import { isRecord } from "../../lib/json.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Progress } from "../../wire/progress.ts";
import type { Loss } from "../../wire/snapshot.ts";
import type { RestoreOptions } from "../engine.ts";
import { UNFINISHED_MARK } from "../restore_target.ts";
import { FENCE_MARK } from "../target_fence.ts";
import { runRestic } from "./command.ts";
import { targetFailure } from "./failure.ts";
import { escapeGlob } from "./ignore_patterns.ts";
import { knownFigures } from "./known_figures.ts";
import { MACHINE_LABELS } from "./machine_labels.ts";
import { restoreMustMove } from "./must_move.ts";
import type { ResticNode } from "./node.ts";
import { withoutItem } from "./output_line.ts";
import { type RepositoryContext, WITHOUT_LOCK } from "./repository_context.ts";
import { Failures } from "./restore_losses.ts";

const OVERWRITE = {
  Refuse: "always",
  Overwrite: "always",
  OverwriteChanged: "if-changed",
  Keep: "never",
} as const;

/** What is left as it is. */
const MARKS = ["--exclude", `/${FENCE_MARK}*`, "--exclude", `/${UNFINISHED_MARK}`] as const;

/** What of a snapshot is restored. */
export interface Place {
  /** The folder whose content, or one file of it, is restored. */
  readonly folder: string;
  /** Absent for the root, whose own attributes are recorded elsewhere or looked up later. */
  readonly node: ResticNode | undefined;
}

/** What restic says that it restored. */
export interface RestoredFiles {
  readonly files: number;
  readonly bytes: number;
  readonly losses: readonly Loss[];
}

/** Runs restic's own restore. */
export async function runRestore(
  context: RepositoryContext,
  options: RestoreOptions,
  place: Place & { readonly snapshot: string },
): Promise<RestoredFiles> {
  const { target, signal, ownership, onProgress } = options;
  const what = `restoring to ${target}`;
  const failures = new Failures();
  let summary: Record<string, unknown> | undefined;
  const onLine = (line: unknown) => {
    if (!isRecord(line)) return;
    if (line.message_type === "summary") summary = line;
    // The last word is also that of a restore too short for any other.
    if (line.message_type === "status" || line.message_type === "summary")
      onProgress?.(restoreProgress(line));
    else if (line.message_type === "error") {
      failures.add({ item: String(line.item), why: isRecord(line.error) ? String(line.error.message) : "" });
    }
  };
  try {
    await runRestic(context.restic, restoreArguments(context, options, place), {
      what,
      signal,
      onLine,
      mustMove: restoreMustMove(options.existing),
    });
  } catch (error) {
    if (!(error instanceof EngineError) || failures.count === 0 || signal?.aborted) throw error;
    const words = failures.told.map(({ item, why }) => `${item}: ${why}`).join("\n");
    if (failures.isSerious) {
      const reasons = failures.told.map(({ item, why }) => withoutItem(why, item)).join("\n");
      throw targetFailure(what, reasons, words) ?? error;
    }
    // Without its last word it was broken off, and the attributes are the least of what is missing.
    if (summary === undefined) throw error;
    if (ownership !== "BestEffort" && ownership !== "Skip") {
      throw new EngineError(
        "PrivilegesNeeded",
        `${what}: attributes of ${failures.count} files could not be set`,
        { detail: words },
      );
    }
  }
  const count = (...names: readonly string[]) =>
    names.reduce((sum, name) => sum + Number(summary?.[name] ?? 0), 0);
  return {
    files: count("files_restored", "files_skipped"),
    bytes: count("bytes_restored", "bytes_skipped"),
    losses: failures.losses,
  };
}

function restoreArguments(
  context: RepositoryContext,
  options: RestoreOptions,
  place: Place & { readonly snapshot: string },
) {
  const { target, existing = "Refuse", extraArgs = [] } = options;
  const { node, folder, snapshot } = place;
  const only = node === undefined || node.type === "dir" ? undefined : posix.basename(options.path ?? "");
  return [
    ...["restore", "--json", `${snapshot}:${folder}`, "--target", target, "--overwrite", OVERWRITE[existing]],
    ...(only === undefined ? [] : ["--include", `/${escapeGlob(only)}`]),
    ...(options.deleteExtra ? ["--delete"] : []),
    // Nothing is deleted but what could be restored; with one file alone, that is no mark.
    ...(options.deleteExtra && only === undefined ? MARKS : []),
    // Neither set nor removed.
    ...MACHINE_LABELS.flatMap((name) => ["--exclude-xattr", name]),
    ...(options.sparse === false ? [] : ["--sparse"]),
    ...(context.readOnly ? WITHOUT_LOCK : []),
    ...extraArgs,
  ];
}

function restoreProgress(line: Record<string, unknown>): Progress {
  return knownFigures({
    files: line.files_restored,
    bytes: line.bytes_restored,
    estimatedFiles: line.total_files,
    estimatedBytes: line.total_bytes,
  });
}
