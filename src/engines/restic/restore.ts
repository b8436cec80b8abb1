import { mkdir, readdir } from "node:fs/promises";
import { posix } from "node:path";
import { isRecord } from "../../lib/json.ts";
import { messageOf } from "../../lib/result.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Progress } from "../../wire/progress.ts";
import type { Loss } from "../../wire/snapshot.ts";
import type { RestoreOptions, RestoreResult } from "../engine.ts";
import { type CommandOptions, runRestic } from "./command.ts";
import { targetFailure } from "./failure.ts";
import { escapeGlob } from "./ignore_patterns.ts";
import { type ResticNode, secondsAndNanoseconds } from "./node.ts";
import { recordIn } from "./remains.ts";
import {
  findSnapshot,
  nodeAt,
  type RepositoryContext,
  rootFolder,
  WITHOUT_LOCK,
} from "./repository_context.ts";
import {
  attributeLoss,
  attributesRefused,
  type Failure,
  failureLosses,
  lossKind,
  mergedLosses,
} from "./restore_losses.ts";
import { ownerLosses, ownersRefused, takeOver, unownable } from "./restore_owners.ts";
import type { AttributeCount, ResticSnapshot } from "./snapshot_record.ts";

/** The folder of a fresh volume in which its file system keeps what it finds when it is repaired. */
const LOST_AND_FOUND = "lost+found";

const OVERWRITE = {
  Refuse: "always",
  Overwrite: "always",
  OverwriteChanged: "if-changed",
  Keep: "never",
} as const;

/** Restores a snapshot, or one path of it. */
export async function restore(context: RepositoryContext, options: RestoreOptions): Promise<RestoreResult> {
  const { signal, target, ownership = "Exact" } = options;
  const call = { what: `restoring to ${target}`, signal, patience: "Short" } as const;
  if (options.atomic)
    throw new EngineError("Unsupported", "restic cannot write files beside their place first");
  const found = await findSnapshot(context, options.snapshot, call);
  const place = await locate(context, found, options.path ?? "", call);
  await requireTarget(options);
  const wanted = { snapshot: found.snapshot.id, target, ...place };
  const foreign = ownership === "Skip" ? NO_OWNERS : await unownable(context, wanted, call);
  if (foreign.count > 0 && ownership === "Exact") throw ownersRefused(call.what, foreign);
  const refused = ownership === "Skip" ? [] : await refusedAttributes(context, found, options);
  if (refused.length > 0 && ownership === "Exact") throw attributesRefused(call.what, refused);
  const result = await runRestore(context, options, wanted);
  if (ownership === "Skip") await takeOver(Buffer.from(target));
  if (place.node?.type === "dir") await dressFolder(context, options, place.node);
  const left = found.remains === undefined ? [] : await applyRemains(context, options, place, found.remains);
  return {
    ...result,
    fidelity: found.snapshot.fidelity,
    losses: mergedLosses(ownerLosses(foreign), refused.map(attributeLoss), result.losses, left),
  };
}

const NO_OWNERS = { owners: [], count: 0, examples: [] } as const;

interface Place {
  /** The folder whose content, or one file of it, is restored. */
  readonly folder: string;
  /** Absent for the top of a snapshot that has no root folder of its own. */
  readonly node: ResticNode | undefined;
}

async function locate(
  context: RepositoryContext,
  found: ResticSnapshot,
  path: string,
  call: CommandOptions,
): Promise<Place> {
  const root = await rootFolder(context, found, call);
  const whole = posix.join("/", root, path).replace(/(.)\/$/, "$1");
  if (whole === "/") return { folder: whole, node: undefined };
  const node = await nodeAt(context.restic, found.snapshot.id, whole, call);
  if (node === undefined)
    throw new EngineError("PathMissing", `${call.what}: the snapshot does not hold ${path}`);
  return { folder: node.type === "dir" ? whole : posix.dirname(whole), node };
}

async function requireTarget({ target, existing = "Refuse" }: RestoreOptions): Promise<void> {
  const what = `restoring to ${target}`;
  let there: readonly string[];
  try {
    await mkdir(target, { recursive: true });
    there = (await readdir(target)).filter((name) => name !== LOST_AND_FOUND);
  } catch (cause) {
    throw (
      targetFailure(what, messageOf(cause)) ??
      new EngineError("TargetNotWritable", `${what}: ${messageOf(cause)}`, { cause })
    );
  }
  if (there.length === 0 || existing !== "Refuse") return;
  throw new EngineError("TargetExists", `${what}: it holds ${there.slice(0, 3).join(", ")} already`);
}

/** What of the recorded attributes the mover may not set. Without this, restic would leave it out in silence. */
async function refusedAttributes(
  { fidelity }: RepositoryContext,
  { attributes }: ResticSnapshot,
  { target, signal }: RestoreOptions,
): Promise<readonly AttributeCount[]> {
  const kinds = attributes.map(({ kind }) => kind);
  const refusals = await fidelity.probe(target, { owners: [], attributes: kinds }, signal);
  if (refusals.unwritable !== undefined) {
    throw new EngineError("TargetNotWritable", `restoring to ${target}: ${refusals.unwritable}`);
  }
  return attributes.filter(({ kind }) => refusals.attributes.some((refused) => refused.kind === kind));
}

async function runRestore(
  context: RepositoryContext,
  options: RestoreOptions,
  place: Place & { readonly snapshot: string },
) {
  const { target, signal, ownership, onProgress } = options;
  const what = `restoring to ${target}`;
  const failures: Failure[] = [];
  let summary: Record<string, unknown> = {};
  const onLine = (line: unknown) => {
    if (!isRecord(line)) return;
    if (line.message_type === "status") onProgress?.(restoreProgress(line));
    else if (line.message_type === "summary") summary = line;
    else if (line.message_type === "error") {
      failures.push({ item: String(line.item), why: isRecord(line.error) ? String(line.error.message) : "" });
    }
  };
  try {
    await runRestic(context.restic, restoreArguments(context, options, place), { what, signal, onLine });
  } catch (error) {
    if (!(error instanceof EngineError) || failures.length === 0 || signal?.aborted) throw error;
    const serious = failures.filter(({ why }) => lossKind(why) === undefined);
    const words = (serious.length > 0 ? serious : failures)
      .map(({ item, why }) => `${item}: ${why}`)
      .join("\n");
    if (serious.length > 0) throw targetFailure(what, words) ?? error;
    if (ownership !== "BestEffort" && ownership !== "Skip") {
      throw new EngineError(
        "PrivilegesNeeded",
        `${what}: attributes of ${failures.length} files could not be set`,
        { detail: words },
      );
    }
  }
  const count = (...names: readonly string[]) =>
    names.reduce((sum, name) => sum + Number(summary[name] ?? 0), 0);
  return {
    files: count("files_restored", "files_skipped"),
    bytes: count("bytes_restored", "bytes_skipped"),
    losses: failureLosses(failures),
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
    ...(options.sparse === false ? [] : ["--sparse"]),
    ...(context.readOnly ? WITHOUT_LOCK : []),
    ...extraArgs,
  ];
}

function restoreProgress(line: Record<string, unknown>): Progress {
  const figures = {
    files: line.files_restored,
    bytes: line.bytes_restored,
    estimatedFiles: line.total_files,
    estimatedBytes: line.total_bytes,
  };
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => typeof value === "number"));
}

/** Puts back what restic does not keep. */
async function applyRemains(
  { fidelity }: RepositoryContext,
  { target, path = "", ownership, signal }: RestoreOptions,
  { node }: Place,
  remains: string,
): Promise<readonly Loss[]> {
  const inside = posix.join("/", path).slice(1).replace(/\/$/, "");
  const isFolder = node === undefined || node.type === "dir";
  const destination = isFolder ? target : posix.join(target, posix.basename(inside));
  const how = { skipOwners: ownership === "Skip", countOwners: false, signal };
  return (await fidelity.apply(destination, inside, recordIn(remains), how)).losses;
}

/** restic restores what is in a folder, and leaves the folder itself as it found it. */
async function dressFolder(
  { fidelity }: RepositoryContext,
  options: RestoreOptions,
  node: ResticNode,
): Promise<void> {
  const { target, ownership, signal } = options;
  const owner =
    ownership === "Skip" ? { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 } : node;
  const { mode, xattrs } = node;
  const time = secondsAndNanoseconds(node.mtime);
  await fidelity.applyRoot(target, { mode, owner: { uid: owner.uid, gid: owner.gid }, time, xattrs }, signal);
}
