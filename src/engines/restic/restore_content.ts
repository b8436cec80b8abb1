import { join } from "node:path";
import { EngineError } from "../../wire/engine_error.ts";
import type { RestoreOptions } from "../engine.ts";
import { makePlace } from "../restore_place.ts";
import { type FoundTarget, lookAtTarget, markUnfinished } from "../restore_target.ts";
import type { RepositoryContext } from "./repository_context.ts";
import { type Place, type RestoredFiles, runRestore } from "./run_restore.ts";

const WHAT = "restoring";

/** No Restore's name: nobody may take what is beside it for an attempt's alone. */
const OVER_OTHERS = "over others";

export interface ContentRestored extends RestoredFiles {
  /** Folders that were not there, relative to the target, the upper ones first. */
  readonly made: readonly string[];
}

/**
 * Runs restic's restore in a target that is marked as unfinished, until the helper settles it. What an earlier attempt
 * left in a target that is the restore's alone goes first: it may have been of another snapshot.
 */
export async function restoreContent(
  context: RepositoryContext,
  options: RestoreOptions,
  { into, ...place }: Place & { readonly snapshot: string; readonly into: string },
): Promise<ContentRestored> {
  const { target, existing, signal } = options;
  // Whoever gave way may have written until now.
  const found = await lookAtTarget(options, WHAT);
  const interrupted = isInterrupted(found);
  // restic makes each file at its full size, and fills it afterwards.
  if (interrupted && existing === "Keep") throw halfWritten(target);
  // In these two there is a mark.
  const marked = found.type === "Unfinished" || interrupted;
  if (found.type === "Unfinished") await context.fidelity.empty(target, signal);
  else if (!marked) {
    await markUnfinished(found.type === "Occupied" ? { target, own: OVER_OTHERS } : options, WHAT);
  }
  // restic does not wait for the disk: after a crash, a file's size and time say nothing of its content.
  const untrusted = interrupted && existing === "OverwriteChanged";
  const inside = { ...options, target: join(target, into) };
  try {
    const made = await makePlace(target, into, WHAT);
    const restored = await runRestore(
      context,
      untrusted ? { ...inside, existing: "Overwrite" } : inside,
      place,
    );
    return { ...restored, made };
  } catch (error) {
    // restic notices that before it writes anything. The mark stays where an earlier attempt has written.
    if (lacks(error) && !marked) await context.fidelity.settle(target);
    throw error;
  }
}

/** What is restored is not in the repository. */
function lacks(error: unknown): error is EngineError {
  return error instanceof EngineError && (error.class === "SnapshotMissing" || error.class === "PathMissing");
}

function isInterrupted(found: FoundTarget): boolean {
  return found.type === "Occupied" && found.interrupted;
}

function halfWritten(target: string): EngineError {
  return new EngineError(
    "TargetExists",
    `restoring to ${target}: an earlier restore into it was broken off, and the files that it left half-written cannot be told from those that are to be kept`,
    {
      remedy:
        "Set options.existingFiles: Overwrite, which writes every file of the snapshot anew, or empty the volume.",
    },
  );
}
