import type { RestoreOptions } from "../engine.ts";
import { type FoundTarget, lookAtTarget, markUnfinished } from "../restore_target.ts";
import type { ResticProgram } from "./command.ts";
import type { RepositoryContext } from "./repository_context.ts";
import { type Place, type RestoredFiles, runRestore } from "./run_restore.ts";

const WHAT = "restoring";

/** No Restore's name: nobody may take what is beside it for an attempt's alone. */
const OVER_OTHERS = "over others";

/**
 * Runs restic's restore in a target that is marked as unfinished, until the helper settles it. What an earlier attempt
 * left in a target that is the restore's alone goes first: it may have been of another snapshot. `begins` is called when
 * restic is started.
 */
export async function restoreContent(
  context: RepositoryContext,
  restic: ResticProgram,
  options: RestoreOptions,
  place: Place & { readonly snapshot: string },
  begins: () => void = () => {},
): Promise<RestoredFiles> {
  const { target, existing, signal } = options;
  // Whoever gave way may have written until now.
  const found = await lookAtTarget(options, WHAT);
  const interrupted = isInterrupted(found);
  // In these two there is a mark.
  if (found.type === "Unfinished") await context.fidelity.empty(target, signal);
  else if (!interrupted) {
    await markUnfinished(found.type === "Occupied" ? { target, own: OVER_OTHERS } : options, WHAT);
  }
  // restic does not wait for the disk: after a crash, a file's size and time say nothing of its content.
  const untrusted = interrupted && existing === "OverwriteChanged";
  begins();
  return runRestore(context, restic, untrusted ? { ...options, existing: "Overwrite" } : options, place);
}

/** Nothing was written after all. The mark stays where an earlier attempt has written. */
export async function nothingWritten(
  { fidelity }: RepositoryContext,
  { target }: RestoreOptions,
  found: FoundTarget,
): Promise<void> {
  if (found.type !== "Unfinished" && !isInterrupted(found)) await fidelity.settle(target);
}

function isInterrupted(found: FoundTarget): boolean {
  return found.type === "Occupied" && found.interrupted;
}
