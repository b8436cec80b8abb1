import type { RestoreOptions, RestoreResult } from "../../engines/engine.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Loss, Snapshot } from "../../wire/snapshot.ts";
import type { RestoreWork, SnapshotReference } from "../../wire/work.ts";
import { type WorkContext, watched } from "./context.ts";
import { hiddenFrom, makeDoneFile } from "./done_file.ts";
import { pastDeadLocks } from "./past_dead_locks.ts";
import { findReferenced } from "./referenced.ts";

export async function restore(
  context: WorkContext,
  { snapshot, doneFile, mountedOver: _, ...settings }: RestoreWork,
): Promise<void> {
  const { run, endedRuns: ended } = context;
  const options = { ...settings, ...watched(context, "restore"), fence: { run, ended } };
  const work = () => restoreReferenced(context, snapshot, options);
  const { warnings = [], ...restored } = await pastDeadLocks(context, work);
  for (const warning of warnings) context.warn(warning);
  const losses = [...restored.losses, ...unread(restored.snapshot, settings.path)];
  if (doneFile !== undefined) {
    await makeDoneFile(settings.target, doneFile);
    const hidden = await hiddenFrom(settings.target);
    if (hidden !== undefined) context.warn(hidden);
  }
  context.keep({ restore: { ...restored, losses } });
}

/** What the snapshot does not hold, because it could not be read. */
function unread({ failedFiles = 0 }: Snapshot, path: string | undefined): readonly Loss[] {
  if (failedFiles === 0) return [];
  const why = "it could not be read when it was backed up, and is not in the snapshot";
  const reason = path === undefined ? why : `${why}; at most so many`;
  return [{ kind: "Content", count: failedFiles, examples: [], reason }];
}

/** By its ID first: it hardly ever changes, and looking it up takes time. */
async function restoreReferenced(
  { repository, signal }: WorkContext,
  reference: SnapshotReference,
  options: Omit<RestoreOptions, "snapshot">,
): Promise<RestoreResult> {
  const { id, run } = reference;
  try {
    return await repository.restore({ ...options, snapshot: id });
  } catch (error) {
    const missing = error instanceof EngineError && error.class === "SnapshotMissing";
    if (!missing || run === undefined) throw error;
    const found = await findReferenced(repository, reference, signal);
    return repository.restore({ ...options, snapshot: found.id });
  }
}
