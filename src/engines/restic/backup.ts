import { basename } from "node:path";
import { EngineError } from "../../wire/engine_error.ts";
import { onlyOwner } from "../../wire/only_owner.ts";
import type { SnapshotOptions, SnapshotResult } from "../engine.ts";
import type { Survey } from "../fidelity/survey.ts";
import { lingering } from "../lingering.ts";
import { mayReferTo } from "../may_refer_to.ts";
import { SourceFolder } from "../source_folder.ts";
import { runRestic } from "./command.ts";
import { readRemains } from "./remains.ts";
import { findSnapshot, lastSnapshot, type RepositoryContext } from "./repository_context.ts";
import { type BackupOutcome, runBackup } from "./run_backup.ts";
import { LEFT_OUT_TAG, madeSnapshot, type ResticSnapshot, tagText } from "./snapshot_record.ts";
import type { Unreadable } from "./unreadable.ts";

const EXAMPLES = 20;

/** What has to be done after a snapshot was taken may take so long when the caller has given up. */
const LINGER_MS = 20_000;

/** Other backups are in the way of what changes a snapshot. */
const PATIENT = ["--retry-lock", "1m"] as const;

/** Takes a snapshot. */
export async function backup(context: RepositoryContext, options: SnapshotOptions): Promise<SnapshotResult> {
  const { source, signal } = options;
  const call = { what: `backing up ${source}`, signal };
  if (context.readOnly)
    throw new EngineError("ReadOnly", `${call.what}: the repository was opened read-only`);
  if (basename(source) === "") throw new EngineError("SourceMissing", `${call.what}: it has no name`);
  const folder = await SourceFolder.look(source, call.what);
  const remains = await readRemains(context.fidelity, options);
  const previous = options.skipIdentical ? await lastToReferTo(context, options, call) : undefined;
  const { summary, unreadable, stopped } = await runBackup(context, options, { previous, remains });
  // It may name a snapshot all the same, which nobody will find.
  if (summary.dry_run === true)
    throw new EngineError("InvalidOption", `${call.what}: restic only tried it, and made nothing`, {
      remedy: "Remove --dry-run from the extra arguments.",
    });
  // What is there must not stay behind as it is, also when nobody waits for it any more.
  using lingered = lingering(context.restic.clock, LINGER_MS, signal);
  const after = { ...options, signal: lingered.signal };
  const left = stopped === undefined ? undefined : await leftBy(context, after);
  const taken = idIn(summary) ?? left?.snapshot.id;
  if (stopped !== undefined && taken === undefined && signal?.aborted) throw stopped;
  const mayLack = options.unreadable === "Skip";
  const fault =
    (await folder.lost()) ??
    (unreadable.count > 0 && !mayLack ? sourceUnreadable(call.what, unreadable, remains.survey) : undefined);
  if (fault) {
    if (taken !== undefined) await remove(context, taken, after);
    throw fault;
  }
  const losses = { losses: remains.losses, unreadable: unreadable.first(EXAMPLES) };
  if (taken === undefined) {
    // Only the last words of a backup say that nothing has changed.
    if (previous === undefined || summary.message_type === undefined)
      throw new EngineError("EngineFailed", `${call.what}: restic named no snapshot`);
    return { snapshot: previous.snapshot, unchanged: true, addedBytes: 0, ...losses };
  }
  if (unreadable.count > 0) await markLeftOut(context, taken, unreadable.count, after);
  const snapshot =
    unreadable.count > 0
      ? (await byRun(context, after)).snapshot
      : (madeSnapshot(summary, { ...options, remains }) ??
        (left ?? (await findSnapshot(context, taken, { ...call, signal: lingered.signal }))).snapshot);
  const added = summary.data_added_packed;
  return {
    snapshot,
    unchanged: false,
    ...(typeof added === "number" ? { addedBytes: added } : {}),
    ...changesIn(summary),
    ...losses,
  };
}

/** The snapshot that restic's last words name, if any. */
function idIn({ snapshot_id: id }: BackupOutcome["summary"]): string | undefined {
  return typeof id === "string" && id !== "" ? id : undefined;
}

function changesIn(summary: BackupOutcome["summary"]): Pick<SnapshotResult, "changes"> {
  const { files_new: added, files_changed: modified, files_unmodified: unchanged } = summary;
  if (typeof added !== "number" || typeof modified !== "number" || typeof unchanged !== "number") return {};
  return { changes: { new: added, modified, unchanged } };
}

/** The snapshot of a run that was told to end: its storage may have taken it before. */
async function leftBy(
  context: RepositoryContext,
  options: SnapshotOptions,
): Promise<ResticSnapshot | undefined> {
  try {
    return await ofRun(context, options);
  } catch (error) {
    // Why it was told to end says more.
    if (error instanceof EngineError) return undefined;
    throw error;
  }
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

function remove({ restic }: RepositoryContext, id: string, { source, signal }: SnapshotOptions) {
  const call = { what: `removing the broken backup of ${source}`, signal };
  return afterTaking(id, "removed", () => runRestic(restic, ["forget", ...PATIENT, id], call));
}

function markLeftOut(
  { restic }: RepositoryContext,
  id: string,
  count: number,
  { source, signal }: SnapshotOptions,
) {
  const call = { what: `noting what the backup of ${source} lacks`, signal };
  const tag = tagText(LEFT_OUT_TAG, String(count));
  return afterTaking(id, "marked as lacking files", () =>
    runRestic(restic, ["tag", ...PATIENT, "--add", tag, id], call),
  );
}

function ofRun(context: RepositoryContext, { identity, run, signal, source }: SnapshotOptions) {
  return lastSnapshot(context, { ...identity, run }, { what: `backing up ${source}`, signal });
}

async function byRun(context: RepositoryContext, options: SnapshotOptions): Promise<ResticSnapshot> {
  const found = await ofRun(context, options);
  if (found) return found;
  throw new EngineError("SnapshotMissing", `the backup of ${options.source} is gone again`);
}

/** More may be as unreadable: restic was ended there. */
function sourceUnreadable(what: string, unreadable: Unreadable, { owners }: Survey): EngineError {
  const names = unreadable.first(3);
  const more = names.length > 0 && unreadable.count > 3 ? ` and ${unreadable.count - 3} more` : "";
  const which = names.length > 0 ? `: ${names.join(", ")}${more}` : ", and restic did not say what";
  const why = `${unreadable.count} could not be read${which}`;
  return new EngineError("SourceUnreadable", `${what}: ${why}`, onlyOwner(owners));
}
