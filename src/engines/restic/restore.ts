import { join, posix } from "node:path";
import { EngineError } from "../../wire/engine_error.ts";
import type { Loss } from "../../wire/snapshot.ts";
import type { RestoreOptions, RestoreResult } from "../engine.ts";
import { wholeRecordOf } from "../fidelity/fidelity_program.ts";
import { dressMade, partsOf, placeOf } from "../restore_place.ts";
import { lookAtTarget } from "../restore_target.ts";
import { secondsAndNanoseconds } from "../seconds_and_nanoseconds.ts";
import { fenced } from "../target_fence.ts";
import { withoutVolumeRoot } from "../volume_root.ts";
import type { CommandOptions } from "./command.ts";
import { MACHINE_LABELS } from "./machine_labels.ts";
import { entryOf, type ResticNode } from "./node.ts";
import { knowsRoot, recordIn } from "./remains.ts";
import { findSnapshot, nodeAt, type RepositoryContext, rootFolder } from "./repository_context.ts";
import { type ContentRestored, restoreContent } from "./restore_content.ts";
import { attributeLoss, attributesRefused, mergedLosses, withLossesOf } from "./restore_losses.ts";
import { ownerLosses, ownersRefused, takeOver, unownable } from "./restore_owners.ts";
import type { Place } from "./run_restore.ts";
import type { AttributeCount, ResticSnapshot } from "./snapshot_record.ts";

/** Restores a snapshot, or one path of it. */
export async function restore(context: RepositoryContext, options: RestoreOptions): Promise<RestoreResult> {
  if (options.atomic)
    throw new EngineError("Unsupported", "restic cannot write files beside their place first");
  await lookAtTarget(options, "restoring");
  const { signal, target, ownership = "Exact" } = options;
  const call = { what: `restoring to ${target}`, signal, patience: "Short" } as const;
  const found = await findSnapshot(context, options.snapshot, call);
  const path = partsOf(options.path).join("/");
  const place = await locate(context, found, path, call);
  const { id: snapshot, owners } = found.snapshot;
  const into = placeOf({ ...options, path }, isFolder(place));
  const written = join(target, into);
  const wanted = { snapshot, target, written, ...place, ...(owners ? { owners } : {}) };
  const foreign = ownership === "Skip" ? NO_OWNERS : await unownable(context, wanted, call);
  if (foreign.count > 0 && ownership === "Exact") throw ownersRefused(call.what, foreign);
  const refused = ownership === "Skip" ? [] : await refusedAttributes(context, found, options);
  if (refused.length > 0 && ownership === "Exact") throw attributesRefused(call.what, refused);
  const result = await fenced(options, { what: call.what, clock: context.restic.clock }, (inside) =>
    restoreContent(context, { ...inside, path }, { snapshot, into, ...place }),
  );
  if (ownership === "Skip") await takeOver(isFolder(place) ? written : join(written, posix.basename(path)));
  const losses = [withoutVolumeRoot(ownerLosses(foreign), { place: into }), refused.map(attributeLoss)];
  return finished(context, { ...options, path }, { found, place, into, written, result, losses });
}

function isFolder({ node }: Place): boolean {
  return node === undefined || node.type === "dir";
}

interface Restored {
  readonly found: ResticSnapshot;
  readonly place: Place;
  /** The folder of the target that was written. */
  readonly into: string;
  /** The same: the target, or one in it. */
  readonly written: string;
  readonly result: ContentRestored;
  /** Known before. */
  readonly losses: readonly (readonly Loss[])[];
}

/** Puts back what restic does not: the folder's own attributes, and what it does not keep. Then all is on the disk. */
async function finished(
  context: RepositoryContext,
  options: RestoreOptions,
  { found, place, into, written, result, losses }: Restored,
): Promise<RestoreResult> {
  const { snapshot } = found;
  const record = found.remains === undefined ? undefined : await recordIn(found.remains);
  const dressed = (options.path ?? "") === "" && record !== undefined && knowsRoot(record);
  const call = { what: `restoring to ${options.target}`, signal: options.signal };
  const node =
    place.node ??
    (dressed || place.folder === "/"
      ? undefined
      : await nodeAt(context.restic, snapshot.id, place.folder, call));
  const inside = { ...options, target: written };
  const itself = !dressed && node?.type === "dir" ? await dressFolder(context, inside, node) : [];
  const undressed = withoutVolumeRoot(itself, { place: into });
  const remains = record === undefined ? [] : await applyRemains(context, inside, place, record);
  const left = withoutVolumeRoot(remains, { place: into });
  const { made, ...figures } = result;
  await dressMade(context.fidelity, options, await madeEntries(context, options, { found, place, made }));
  await context.fidelity.settle(options.target, options.signal);
  return {
    ...figures,
    snapshot,
    fidelity: snapshot.fidelity,
    losses: withLossesOf(undressed, mergedLosses(...losses, result.losses, left), losses.flat()),
  };
}

/** What the snapshot knows of the folders that were made, but for the one whose attributes are set by now. */
async function madeEntries(
  context: RepositoryContext,
  { path = "", targetPath, signal }: RestoreOptions,
  { found, place, made }: Pick<Restored, "found" | "place"> & { readonly made: readonly string[] },
) {
  const above = targetPath === undefined ? made.filter((one) => !(isFolder(place) && one === path)) : [];
  if (above.length === 0) return [];
  const call = { what: "restoring", signal };
  const root = await rootFolder(context, found, call);
  const entries = above.map(async (folder) => {
    const node = await nodeAt(context.restic, found.snapshot.id, posix.join("/", root, folder), call);
    return node ? [{ path: folder, entry: entryOf(node) }] : [];
  });
  return (await Promise.all(entries)).flat();
}

const NO_OWNERS = { owners: [], count: 0, examples: [] } as const;

async function locate(
  context: RepositoryContext,
  found: ResticSnapshot,
  path: string,
  call: CommandOptions,
): Promise<Place> {
  // Where a run of ours has put the root need not be looked up.
  if (path === "" && found.rootPath !== undefined) return { folder: found.rootPath, node: undefined };
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
  const destination = isFolder({ folder: "", node }) ? target : posix.join(target, posix.basename(path));
  const how = { skipOwners: ownership === "Skip", countOwners: false, signal };
  return (await fidelity.apply(destination, path, wholeRecordOf(record), how)).losses;
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
