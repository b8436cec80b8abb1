import { basename, join } from "node:path";
import { CAPABILITIES } from "../../wire/capabilities.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Loss } from "../../wire/snapshot.ts";
import type { RestoreOptions, RestoreResult } from "../engine.ts";
import { pathRecord } from "../fidelity/fidelity_program.ts";
import { dressMade, makePlace, partsOf, placeOf } from "../restore_place.ts";
import { besideOthers, type FoundTarget, lookAtTarget, markUnfinished } from "../restore_target.ts";
import { fenced } from "../target_fence.ts";
import { withoutVolumeRoot } from "../volume_root.ts";
import { lossesWithoutRecord } from "./beyond_kopia.ts";
import { COMPANION_FILE } from "./companion.ts";
import { KeptRecord } from "./kept_record.ts";
import type { KopiaRepository } from "./kopia_repository.ts";
import { listPaths, pathEntries } from "./listed_paths.ts";
import { makeWay, type WayToWrite } from "./making_way.ts";
import { keyOf, type Manifest, toSnapshot } from "./manifest.ts";
import { exactSize } from "./progress.ts";
import { checkRights, ownerLosses } from "./restore_rights.ts";
import { UnwritableNames } from "./unwritable_names.ts";

const WHAT = "restoring";

interface Plan {
  readonly manifest: Manifest;
  readonly companion: Manifest | undefined;
  /** The companion's. */
  readonly record: KeptRecord | undefined;
  readonly path: string;
  /** The folder that is written: the target, or one in it. */
  readonly folder: string;
  /** The same, or the file in it when a single file is restored. */
  readonly destination: string;
  readonly isFolder: boolean;
  /** Of all that is restored, as the snapshot has it. */
  readonly bytes: number;
  readonly found: FoundTarget;
  readonly options: RestoreOptions;
}

/** Restores with kopia, then what kopia does not keep from the companion. */
export async function restore(repository: KopiaRepository, options: RestoreOptions): Promise<RestoreResult> {
  const plan = await makePlan(repository, options);
  const { record, manifest } = plan;
  const refusals = await checkRights(repository.fidelity, manifest, {
    ...options,
    full: record !== undefined,
  });
  const how = {
    what: WHAT,
    clock: repository.connection.program.clock,
    mayVanish: options.deleteExtra ?? false,
  };
  const restored = await fenced(options, how, async (inside) => {
    // Whoever gave way may have written until now.
    const found = await lookAtTarget(inside, WHAT);
    return restoreContent(repository, { ...plan, found, options: inside });
  });
  const losses = record
    ? withoutVolumeRoot(await applyRecord(repository, plan, record), {
        place: placeOf(options, plan.isFolder),
        path: plan.isFolder ? plan.path : undefined,
      })
    : [...ownerLosses(manifest, refusals, options), ...lossesWithoutRecord(manifest, plan.path)];
  await dressMade(repository.fidelity, options, await madeEntries(repository, plan, restored.made));
  await repository.fidelity.settle(options.target, options.signal);
  const companions = new Set(record ? [keyOf(manifest)] : []);
  const snapshot = toSnapshot(manifest, companions);
  const { made: _, ...figures } = restored;
  return { ...figures, snapshot, fidelity: snapshot.fidelity, losses };
}

/** What the snapshot knows of the folders that were made. kopia gives the one that it restores its own attributes. */
async function madeEntries(
  repository: KopiaRepository,
  { manifest, path, isFolder, options: { targetPath, signal } }: Plan,
  made: readonly string[],
) {
  if (targetPath !== undefined) return [];
  const above = made.filter((folder) => !(isFolder && folder === path));
  const entries = above.map(async (folder) => {
    const entry = await repository.entry(manifest, folder, { what: WHAT, signal });
    return entry ? [{ path: folder, entry }] : [];
  });
  return (await Promise.all(entries)).flat();
}

/** What kopia restores at once: single files may follow, once the record tells that they are missing. */
async function restoreContent(
  repository: KopiaRepository,
  plan: Plan,
): Promise<RestoredData & { readonly made: readonly string[] }> {
  const { record, manifest, isFolder, found, path, folder, options } = plan;
  const { target, signal, atomic = false, deleteExtra = false } = options;
  const makeFolder = () => makePlace(target, placeOf(options, isFolder), WHAT);
  if (found.type === "Occupied") {
    const { left, interrupted } = found;
    const made = await makeFolder();
    const restored = { manifest, path, isFolder, target: folder, atomic, left, what: WHAT, signal };
    const { way, warnings } = await makeWay(repository, restored);
    const how = { way, deleteExtra: deleteExtra && isFolder };
    const skipExisting = options.existing === "OverwriteChanged";
    const write = () =>
      interrupted
        ? restoreInterrupted(repository, plan, how)
        : restoreData(repository, plan, { ...how, skipExisting });
    const { clock } = repository.connection.program;
    const beside = () => besideOthers({ ...options, ...how }, { what: WHAT, clock, interrupted }, write);
    return { ...(await (way === "Atomic" ? beside() : write())), warnings, made };
  }
  // There the mark is the same, and never missing.
  if (found.type === "Unfinished") await repository.fidelity.empty(target, signal);
  else await markUnfinished(options, WHAT);
  const made = await makeFolder();
  const prepared = record !== undefined && isFolder && (await prepareLinks(repository, plan, record));
  // Nobody has data there that a file which is only half written could hide.
  const how = { way: "Direct", skipExisting: prepared, deleteExtra: false } as const;
  return { ...(await restoreData(repository, plan, how)), made };
}

/** Whether there are linked files whose content is to be written once only. The record knows names that kopia left out. */
async function prepareLinks(
  repository: KopiaRepository,
  { manifest, path, destination, options: { signal } }: Plan,
  record: KeptRecord,
): Promise<boolean> {
  if (!manifest.note?.hardLinks) return false;
  const { fidelity } = repository;
  if ((await fidelity.prepare(destination, path, record.bytes(), signal)) === 0) return false;
  const listed = listPaths(repository, { manifest, path, what: WHAT, signal });
  await fidelity.keepListed(destination, pathRecord(pathEntries(listed, "Name")), signal);
  return true;
}

interface RestoredData {
  readonly files: number;
  readonly bytes: number;
  readonly warnings?: readonly string[];
}

/**
 * Every file is written, whatever its size and time. kopia would begin with deleting what is not in the snapshot, the mark
 * too that says so to the next attempt: hence it deletes by itself, when all has been written and is on the disk.
 */
async function restoreInterrupted(
  repository: KopiaRepository,
  plan: Plan,
  { way, deleteExtra }: Omit<HowToWrite, "skipExisting">,
): Promise<RestoredData> {
  const restored = await restoreData(repository, plan, { way, skipExisting: false, deleteExtra: false });
  if (!deleteExtra) return restored;
  await repository.fidelity.settle(plan.options.target, plan.options.signal);
  await restoreData(repository, plan, { way, skipExisting: true, deleteExtra });
  return restored;
}

async function makePlan(repository: KopiaRepository, options: RestoreOptions): Promise<Plan> {
  const { target, existing = "Refuse", signal } = options;
  if (!CAPABILITIES.kopia.existing.includes(existing)) {
    throw new EngineError("Unsupported", `${WHAT}: kopia has no way to do existing: ${existing}`);
  }
  const path = partsOf(options.path).join("/");
  const { manifest, companion } = await repository.find(options.snapshot, WHAT, options);
  if (CAPABILITIES.kopia.existingNeedingFull.includes(existing) && !companion) {
    // kopia alone would leave every symlink that is there as it is, wherever it points.
    throw new EngineError("Unsupported", `${WHAT}: existing: ${existing} needs a snapshot of full fidelity`, {
      remedy: "Set options.existingFiles: Overwrite.",
    });
  }
  const entry = await repository.entry(manifest, path, { what: WHAT, signal });
  const isFolder = entry === undefined || entry.type === "Folder";
  const found = await lookAtTarget(options, WHAT);
  const folder = join(target, placeOf(options, isFolder));
  const destination = isFolder ? folder : join(folder, basename(path));
  const record = companion && recordOf(repository, companion, options);
  const bytes = entry?.size ?? manifest.bytes;
  return { manifest, companion, record, path, folder, destination, isFolder, bytes, found, options };
}

function recordOf(repository: KopiaRepository, companion: Manifest, options: RestoreOptions): KeptRecord {
  const args = ["show", `${companion.root}/${COMPANION_FILE}`];
  const what = "reading what kopia does not keep";
  const { signal } = options;
  return new KeptRecord(() => repository.stream(args, { what, signal, mustMove: true }));
}

interface HowToWrite {
  readonly way: WayToWrite;
  /** A file of the same size and time is taken for restored. */
  readonly skipExisting: boolean;
  readonly deleteExtra: boolean;
}

async function restoreData(
  repository: KopiaRepository,
  plan: Plan,
  { way, skipExisting, deleteExtra }: HowToWrite,
): Promise<RestoredData> {
  const { manifest, record, path, destination, found, options } = plan;
  const { parallel, extraArgs = [], signal, onProgress } = options;
  const names = record && manifest.note?.longNames ? new UnwritableNames(WHAT, options.target) : undefined;
  const args = [
    ...restoreArguments(options),
    flag("write-files-atomically", way === "Atomic"),
    // A file gets its time last, by which the next restore may know it: by then its content has to be on the disk.
    ...(way === "Direct" && found.type === "Occupied" ? ["--flush-files"] : []),
    ...(skipExisting ? ["--skip-existing"] : []),
    ...(deleteExtra ? ["--delete-extra"] : []),
    ...(names ? ["--ignore-errors"] : []),
    ...repository.connection.parallelArguments(parallel),
    ...extraArgs,
  ];
  const signals = [signal, names?.signal].filter((one) => one !== undefined);
  const work = repository.runReading([...args, sourceOf(manifest, path), destination], {
    what: WHAT,
    signal: AbortSignal.any(signals),
    onProgress,
    mustMove: true,
    context: "target",
    folder: options.target,
    ...(names ? { overlook: (line) => names.overlook(line) } : {}),
  });
  const { words } = await (way === "Atomic" ? work.catch(noRoomBeside) : work);
  const [, files, links, size] =
    /Restored (\d+) files, \d+ directories and (\d+) symbolic links \(([^)]*)\)/.exec(words) ?? [];
  const skipped = Number(/skipped (\d+)/.exec(words)?.[1] ?? 0);
  return { files: Number(files ?? 0) + Number(links ?? 0) + skipped, bytes: exactSize(size, plan.bytes) };
}

function noRoomBeside(error: unknown): never {
  if (!(error instanceof EngineError) || error.class !== "TargetFull") throw error;
  const { detail } = error;
  throw new EngineError(
    "TargetFull",
    `${error.message}: each file is written beside the one that it replaces, without holes`,
    {
      remedy:
        "Restore into a larger volume, or set options.writeFilesAtomically: false, which needs no room beside.",
      ...(detail === undefined ? {} : { detail }),
      cause: error,
    },
  );
}

function restoreArguments({ ownership = "Exact", sparse = true }: RestoreOptions): readonly string[] {
  return [
    "restore",
    "--mode=local",
    flag("write-sparse-files", sparse),
    flag("ignore-permission-errors", ownership !== "Exact"),
    ...(ownership === "Skip" ? ["--skip-owners"] : []),
  ];
}

function flag(name: string, on: boolean): string {
  return on ? `--${name}` : `--no-${name}`;
}

function sourceOf(manifest: Manifest, path: string): string {
  return path === "" ? manifest.id : `${manifest.id}/${path}`;
}

async function applyRecord(
  repository: KopiaRepository,
  plan: Plan,
  record: KeptRecord,
): Promise<readonly Loss[]> {
  const { destination, path, options } = plan;
  const { ownership = "Exact", signal } = options;
  const how = { skipOwners: ownership === "Skip", countOwners: ownership === "BestEffort", signal };
  const apply = () => repository.fidelity.apply(destination, path, record.bytes(), how);
  const tried = new Set<string>();
  let { missing, losses } = await apply();
  while (missing.length > 0) {
    const again = missing.find((name) => tried.has(name));
    if (again !== undefined) {
      throw new EngineError("EngineFailed", `${WHAT}: the content of ${again} did not come back`);
    }
    for (const name of missing) tried.add(name);
    await restoreMissing(repository, plan, missing);
    ({ missing, losses } = await apply());
  }
  return losses;
}

/** Restores single files whose content was expected under another name, which the snapshot does not hold, or no longer as it was. */
async function restoreMissing(
  repository: KopiaRepository,
  plan: Plan,
  missing: readonly string[],
): Promise<void> {
  const { manifest, path, destination, options } = plan;
  for (const name of missing) {
    const target = join(destination, name);
    const source = sourceOf(manifest, path === "" ? name : `${path}/${name}`);
    await repository.run([...restoreArguments(options), source, target], {
      what: WHAT,
      signal: options.signal,
      mustMove: true,
      context: "target",
      folder: options.target,
    });
  }
}
