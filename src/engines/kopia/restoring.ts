import { mkdir, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { lines } from "../../lib/lines.ts";
import { CAPABILITIES } from "../../wire/capabilities.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Loss } from "../../wire/snapshot.ts";
import type { RestoreOptions, RestoreResult } from "../engine.ts";
import { folderRecord } from "../fidelity/fidelity_program.ts";
import { fenced, isFenceMark } from "../target_fence.ts";
import { COMPANION_FILE } from "./companion.ts";
import { KeptRecord } from "./kept_record.ts";
import type { KopiaRepository } from "./kopia_repository.ts";
import { keyOf, type Manifest, toSnapshot } from "./manifest.ts";
import { parseSize } from "./progress.ts";
import { checkRights, ownerLosses } from "./restore_rights.ts";

const WHAT = "restoring";

interface Plan {
  readonly manifest: Manifest;
  readonly companion: Manifest | undefined;
  /** The companion's. */
  readonly record: KeptRecord | undefined;
  readonly path: string;
  /** The target folder, or the file in it when a single file is restored. */
  readonly destination: string;
  readonly isFolder: boolean;
  /** Nothing was in the target before. */
  readonly fresh: boolean;
  readonly options: RestoreOptions;
}

/** Restores with kopia, then what kopia does not keep from the companion. */
export async function restore(repository: KopiaRepository, options: RestoreOptions): Promise<RestoreResult> {
  const plan = await makePlan(repository, options);
  try {
    return await carryOut(repository, plan);
  } finally {
    await plan.record?.end();
  }
}

async function carryOut(repository: KopiaRepository, plan: Plan): Promise<RestoreResult> {
  const { record, manifest, options } = plan;
  const refusals = await checkRights(repository.fidelity, manifest, {
    ...options,
    full: record !== undefined,
  });
  // By the time that kopia has restored, it is there.
  record?.begin();
  const how = {
    what: WHAT,
    clock: repository.connection.program.clock,
    mayVanish: options.deleteExtra ?? false,
  };
  const restored = await fenced(options, how, (inside) =>
    restoreContent(repository, { ...plan, options: inside }),
  );
  const losses = record
    ? await applyRecord(repository, plan, record)
    : ownerLosses(manifest, refusals, options);
  const companions = new Set(record ? [keyOf(manifest)] : []);
  const snapshot = toSnapshot(manifest, companions);
  return { ...restored, snapshot, fidelity: snapshot.fidelity, losses };
}

/** What kopia restores at once: single files may follow, once the record tells that they are missing. */
async function restoreContent(repository: KopiaRepository, plan: Plan): Promise<RestoredData> {
  const { record, manifest, isFolder, fresh, destination, path, options } = plan;
  const prepared = record !== undefined && isFolder && fresh && (manifest.note?.hardLinks ?? 0) > 0;
  if (prepared) await repository.fidelity.prepare(destination, path, record.bytes(), options.signal);
  if (!fresh && isFolder) await clearFolders(repository, plan);
  return restoreData(repository, plan, prepared || options.existing === "OverwriteChanged");
}

interface RestoredData {
  readonly files: number;
  readonly bytes: number;
}

async function makePlan(repository: KopiaRepository, options: RestoreOptions): Promise<Plan> {
  const { target, existing = "Refuse", signal } = options;
  if (!CAPABILITIES.kopia.existing.includes(existing)) {
    throw new EngineError("Unsupported", `${WHAT}: kopia has no way to do existing: ${existing}`);
  }
  const path = (options.path ?? "")
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
  const { manifest, companion } = await repository.find(options.snapshot, WHAT, options);
  if (existing === "OverwriteChanged" && !companion) {
    // kopia alone would leave every symlink that is there as it is, wherever it points.
    throw new EngineError("Unsupported", `${WHAT}: existing: ${existing} needs a snapshot of full fidelity`);
  }
  const entry = await repository.entry(manifest, path, { what: WHAT, signal });
  const isFolder = entry === undefined || entry.type === "Folder";
  const fresh = await makeTarget(target, existing === "Refuse");
  const destination = isFolder ? target : join(target, basename(path));
  const record = companion && recordOf(repository, companion, options);
  return { manifest, companion, record, path, destination, isFolder, fresh, options };
}

async function makeTarget(target: string, mustBeEmpty: boolean): Promise<boolean> {
  try {
    await mkdir(target, { recursive: true });
    const [first] = (await readdir(target)).filter((name) => name !== "lost+found" && !isFenceMark(name));
    if (first === undefined) return true;
    if (!mustBeEmpty) return false;
    throw new EngineError("TargetExists", `${WHAT}: ${target} is not empty, it holds ${first}`);
  } catch (cause) {
    if (cause instanceof EngineError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    const errorClass =
      code === "ENOSPC" ? "TargetFull" : code === "EEXIST" ? "TargetExists" : "TargetNotWritable";
    throw new EngineError(errorClass, `${WHAT}: ${message}`, { cause });
  }
}

function recordOf(repository: KopiaRepository, companion: Manifest, options: RestoreOptions): KeptRecord {
  const args = ["show", `${companion.root}/${COMPANION_FILE}`];
  const what = "reading what kopia does not keep";
  return new KeptRecord(
    (signal) => repository.stream(args, { what, signal, mustMove: true }),
    options.signal,
  );
}

/** kopia would follow symlinks that stand where folders belong, out of the target. */
async function clearFolders(repository: KopiaRepository, plan: Plan): Promise<void> {
  const { record, destination, path, manifest, options } = plan;
  const folders = record ? record.bytes() : folderRecord(await foldersIn(repository, manifest, options));
  await repository.fidelity.clear(destination, path, folders, options.signal);
}

async function foldersIn(
  repository: KopiaRepository,
  manifest: Manifest,
  { signal }: RestoreOptions,
): Promise<readonly string[]> {
  const found: string[] = [];
  const args = ["ls", "--recursive", manifest.root];
  for await (const line of lines(repository.stream(args, { what: WHAT, signal, mustMove: true })))
    if (line.endsWith("/")) found.push(line.slice(0, -1));
  return found;
}

async function restoreData(
  repository: KopiaRepository,
  plan: Plan,
  skipExisting: boolean,
): Promise<RestoredData> {
  const { manifest, path, destination, fresh, isFolder, options } = plan;
  const {
    sparse = true,
    atomic = false,
    deleteExtra = false,
    parallel,
    extraArgs = [],
    signal,
    onProgress,
  } = options;
  const args = [
    ...restoreArguments(options),
    flag("write-sparse-files", sparse),
    // Written in place, a file that shares its content with another by a hard link would change both.
    flag("write-files-atomically", atomic || !fresh),
    ...(skipExisting ? ["--skip-existing"] : []),
    ...(deleteExtra && isFolder ? ["--delete-extra"] : []),
    ...(parallel === undefined ? [] : [`--parallel=${parallel}`]),
    ...extraArgs,
  ];
  const { words } = await repository.runReading([...args, sourceOf(manifest, path), destination], {
    what: WHAT,
    signal,
    onProgress,
    mustMove: true,
    context: "target",
  });
  const [, files, links, size] =
    /Restored (\d+) files, \d+ directories and (\d+) symbolic links \(([^)]*)\)/.exec(words) ?? [];
  const skipped = Number(/skipped (\d+)/.exec(words)?.[1] ?? 0);
  return { files: Number(files ?? 0) + Number(links ?? 0) + skipped, bytes: parseSize(size) };
}

function restoreArguments({ ownership = "Exact" }: RestoreOptions): readonly string[] {
  return [
    "restore",
    "--mode=local",
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
  let { missing, losses } = await apply();
  while (missing.length > 0) {
    await restoreMissing(repository, plan, missing);
    const before = missing.length;
    ({ missing, losses } = await apply());
    if (missing.length >= before) {
      throw new EngineError("EngineFailed", `${WHAT}: the content of ${missing[0]} did not come back`);
    }
  }
  return losses;
}

/** Restores single files whose content was expected under another name, which the snapshot turned out not to hold. */
async function restoreMissing(
  repository: KopiaRepository,
  plan: Plan,
  missing: readonly string[],
): Promise<void> {
  const { manifest, path, destination, options } = plan;
  for (const name of missing) {
    const target = join(destination, name);
    await rm(target);
    const source = sourceOf(manifest, path === "" ? name : `${path}/${name}`);
    await repository.run([...restoreArguments(options), source, target], {
      what: WHAT,
      signal: options.signal,
      mustMove: true,
      context: "target",
    });
  }
}
