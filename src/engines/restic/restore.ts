import { posix } from "node:path";
import { unlessAborted } from "../../lib/unless_aborted.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Loss } from "../../wire/snapshot.ts";
import type { RestoreOptions, RestoreResult } from "../engine.ts";
import { wholeRecordOf } from "../fidelity/fidelity_program.ts";
import { lookAtTarget } from "../restore_target.ts";
import { fenced } from "../target_fence.ts";
import { together } from "../together.ts";
import type { CommandOptions } from "./command.ts";
import { MACHINE_LABELS } from "./machine_labels.ts";
import { type ResticNode, secondsAndNanoseconds } from "./node.ts";
import { knowsRoot, recordIn } from "./remains.ts";
import { findSnapshot, nodeAt, type RepositoryContext, rootFolder } from "./repository_context.ts";
import { lacks, restoreContent } from "./restore_content.ts";
import { attributeLoss, attributesRefused, mergedLosses, withLossesOf } from "./restore_losses.ts";
import { ownerLosses, ownersRefused, STRANGERS, takeOver, unownable } from "./restore_owners.ts";
import type { Place, RestoredFiles } from "./run_restore.ts";
import { ATTRIBUTE_KINDS, type AttributeCount, type ResticSnapshot, rootOf } from "./snapshot_record.ts";

/** Of a snapshot. */
const WHOLE_ID = /^[0-9a-f]{64}$/;

/** Restores a snapshot, or one path of it. */
export async function restore(context: RepositoryContext, options: RestoreOptions): Promise<RestoreResult> {
  if (options.atomic)
    throw new EngineError("Unsupported", "restic cannot write files beside their place first");
  await lookAtTarget(options, "restoring");
  const root = await rootAtOnce(context, options);
  if (root === undefined) return restoreWithCare(context, options);
  try {
    return await restoreAtOnce(context, options, root);
  } catch (error) {
    // Another repository explains it better than whatever it lacks.
    await context.identification.found();
    // It is not where it was thought to be.
    if (!lacks(error) || error.class !== "PathMissing") throw error;
    return restoreWithCare(context, options);
  }
}

/**
 * The root folder within a snapshot that can be restored before anything is known of it: it is one of ours, complete,
 * into a target where the mover may set whatever it holds. Undefined when that is not so.
 */
async function rootAtOnce(
  { fidelity }: RepositoryContext,
  { snapshot, madeAs, path = "", target, ownership = "Exact", signal }: RestoreOptions,
): Promise<string | undefined> {
  if (madeAs === undefined || path !== "" || ownership === "Skip" || !WHOLE_ID.test(snapshot))
    return undefined;
  const refusals = await fidelity.probe(target, { owners: STRANGERS, attributes: ATTRIBUTE_KINDS }, signal);
  const free =
    refusals.unwritable === undefined && refusals.owners.length === 0 && refusals.attributes.length === 0;
  return free ? rootOf(madeAs) : undefined;
}

/** Learns of the snapshot while it is being restored. */
async function restoreAtOnce(
  context: RepositoryContext,
  options: RestoreOptions,
  folder: string,
): Promise<RestoreResult> {
  const { snapshot: id, target } = options;
  const call = { what: `restoring to ${target}`, patience: "Short" } as const;
  const place = { folder, node: undefined };
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const [result, found] = await together(
    options.signal,
    (signal) =>
      fenced({ ...options, signal }, { what: call.what, clock: context.early.clock }, (inside) =>
        restoreContent(context, context.early, inside, { snapshot: id, ...place }, begun.resolve),
      ).finally(ended.resolve),
    // Whoever waits longest is started first.
    async (signal) => {
      await unlessAborted(begun.promise, signal);
      return findProof(context, id, { ...call, signal }).catch(async (error) => {
        // Whether anything was written, only the restore can say: it is not broken off for what it will notice itself.
        if (lacks(error)) await unlessAborted(ended.promise, signal);
        throw error;
      });
    },
  );
  if (found.rootPath !== folder) {
    throw new EngineError("EngineFailed", `${call.what}: ${id} is not the snapshot that it was taken for`);
  }
  return finished(context, options, { found, place, result, losses: [] });
}

/**
 * Finds a snapshot that is known to be of the right repository, and with it that one: its ID is the digest of itself,
 * encrypted, and no other has it.
 */
async function findProof(
  { early, identification }: RepositoryContext,
  id: string,
  call: CommandOptions,
): Promise<ResticSnapshot> {
  const found = await findSnapshot({ restic: early }, id, call);
  identification.prove();
  return found;
}

/** An ID that somebody wrote down may be of the repository that took the right one's place: it proves nothing. */
async function findInRightOne(
  context: RepositoryContext,
  { snapshot: id, madeAs }: RestoreOptions,
  call: CommandOptions,
): Promise<ResticSnapshot> {
  if (madeAs === undefined || !WHOLE_ID.test(id)) return findSnapshot(context, id, call);
  try {
    return await findProof(context, id, call);
  } catch (error) {
    // Another repository explains it better than whatever it lacks.
    await context.identification.found();
    throw error;
  }
}

async function restoreWithCare(context: RepositoryContext, options: RestoreOptions): Promise<RestoreResult> {
  const { signal, target, ownership = "Exact" } = options;
  const call = { what: `restoring to ${target}`, signal, patience: "Short" } as const;
  const found = await findInRightOne(context, options, call);
  const place = await locate(context, found, options.path ?? "", call);
  const { id: snapshot, owners } = found.snapshot;
  const wanted = { snapshot, target, ...place, ...(owners ? { owners } : {}) };
  const foreign = ownership === "Skip" ? NO_OWNERS : await unownable(context, wanted, call);
  if (foreign.count > 0 && ownership === "Exact") throw ownersRefused(call.what, foreign);
  const refused = ownership === "Skip" ? [] : await refusedAttributes(context, found, options);
  if (refused.length > 0 && ownership === "Exact") throw attributesRefused(call.what, refused);
  const result = await fenced(options, { what: call.what, clock: context.restic.clock }, (inside) =>
    restoreContent(context, context.restic, inside, wanted),
  );
  if (ownership === "Skip") await takeOver(target);
  const losses = [ownerLosses(foreign), refused.map(attributeLoss)];
  return finished(context, options, { found, place, result, losses });
}

interface Restored {
  readonly found: ResticSnapshot;
  readonly place: Place;
  readonly result: RestoredFiles;
  /** Known before. */
  readonly losses: readonly (readonly Loss[])[];
}

/** Puts back what restic does not: the folder's own attributes, and what it does not keep. Then all is on the disk. */
async function finished(
  context: RepositoryContext,
  options: RestoreOptions,
  { found, place, result, losses }: Restored,
): Promise<RestoreResult> {
  const { snapshot, remains } = found;
  const record = remains === undefined ? undefined : await recordIn(remains);
  const dressed = (options.path ?? "") === "" && record !== undefined && knowsRoot(record);
  const call = { what: `restoring to ${options.target}`, signal: options.signal };
  const node =
    place.node ??
    (dressed || place.folder === "/"
      ? undefined
      : await nodeAt(context.restic, snapshot.id, place.folder, call));
  const undressed = !dressed && node?.type === "dir" ? await dressFolder(context, options, node) : [];
  const left = record === undefined ? [] : await applyRemains(context, options, place, record);
  await context.fidelity.settle(options.target, options.signal);
  return {
    ...result,
    snapshot,
    fidelity: snapshot.fidelity,
    losses: withLossesOf(undressed, mergedLosses(...losses, result.losses, left), losses.flat()),
  };
}

const NO_OWNERS = { owners: [], count: 0, examples: [] } as const;

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

/** Puts back what restic does not keep. */
async function applyRemains(
  { fidelity }: RepositoryContext,
  { target, path = "", ownership, signal }: RestoreOptions,
  { node }: Place,
  record: Uint8Array,
): Promise<readonly Loss[]> {
  const inside = posix.join("/", path).slice(1).replace(/\/$/, "");
  const isFolder = node === undefined || node.type === "dir";
  const destination = isFolder ? target : posix.join(target, posix.basename(inside));
  const how = { skipOwners: ownership === "Skip", countOwners: false, signal };
  return (await fidelity.apply(destination, inside, wholeRecordOf(record), how)).losses;
}

/** restic restores what is in a folder, and leaves the folder itself as it found it. */
function dressFolder(
  { fidelity }: RepositoryContext,
  options: RestoreOptions,
  node: ResticNode,
): Promise<readonly Loss[]> {
  const { target, ownership, signal } = options;
  const owner =
    ownership === "Skip" ? { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 } : node;
  const { mode } = node;
  const own = Object.entries(node.xattrs).filter(([name]) => !MACHINE_LABELS.includes(name));
  const xattrs = Object.fromEntries(own);
  const time = secondsAndNanoseconds(node.mtime);
  const attributes = { mode, owner: { uid: owner.uid, gid: owner.gid }, time, xattrs };
  return fidelity.applyRoot(target, attributes, signal);
}
