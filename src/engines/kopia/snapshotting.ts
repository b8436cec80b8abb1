import { EngineError } from "../../wire/engine_error.ts";
import { type Identity, identityText, sameIdentity } from "../../wire/identity.ts";
import type { Progress } from "../../wire/progress.ts";
import type { Loss } from "../../wire/snapshot.ts";
import { RUN_TAG } from "../../wire/tags.ts";
import { throwIfAborted } from "../aborted.ts";
import type { SnapshotOptions, SnapshotResult } from "../engine.ts";
import { estimated } from "../estimated.ts";
import type { Scan } from "../fidelity/fidelity_program.ts";
import { attributesNeeded, lossesOf, type Survey } from "../fidelity/survey.ts";
import { mayReferTo } from "../may_refer_to.ts";
import { SourceFolder } from "../source_folder.ts";
import { together } from "../together.ts";
import { beyondKopia, countedBeyond, NOT_RECORDED, NOT_WRITABLE } from "./beyond_kopia.ts";
import { COMPANION_FILE, companionOf, pairKey } from "./companion.ts";
import { kopiaFailure } from "./failure.ts";
import { hideReserved, settlePolicies } from "./identity_policies.ts";
import type { KopiaRepository } from "./kopia_repository.ts";
import { listManifests } from "./listing.ts";
import {
  isNotStored,
  type Manifest,
  missingFiles,
  parseManifest,
  sortOut,
  tagArguments,
  toSnapshot,
} from "./manifest.ts";
import { formatNote, type Note } from "./note.ts";
import { checkSnapshotOptions } from "./snapshot_options.ts";
import { type StoreRecord, WaitingCompanion } from "./waiting_companion.ts";

const WHAT = "taking a snapshot";

/** Arguments of every `snapshot create`. */
const CREATE = [
  "snapshot",
  "create",
  "--json",
  "--force-disable-actions",
  "--no-send-snapshot-report",
  // Without it kopia prints what it made before it has stored it.
  "--flush-per-source",
];

/** Takes a snapshot and, beside it, its companion. */
export async function takeSnapshot(
  repository: KopiaRepository,
  options: SnapshotOptions,
): Promise<SnapshotResult> {
  checkSnapshotOptions(options);
  const folder = await SourceFolder.look(options.source, WHAT);
  const scan = await repository.fidelity.scan(options.source, options);
  const { full, survey, manifest, addedBytes } = await take(repository, options, scan).catch((error) => {
    scan.stop();
    throw error;
  });
  const lost = await folder.lost();
  if (lost) {
    await repository.delete([manifest.id]);
    throw lost;
  }
  const companions = new Set(full ? [pairKey(options.identity, options.run)] : []);
  const earlier =
    options.skipIdentical && !options.signal?.aborted
      ? await dropIdentical(repository, manifest, options)
      : undefined;
  return {
    snapshot: earlier ?? toSnapshot(manifest, companions),
    unchanged: earlier !== undefined,
    addedBytes,
    losses: expectedLosses(survey, full),
    unreadable: [...manifest.errors.map(({ path }) => path), ...survey.unreadable.examples],
  };
}

interface Taken {
  /** With a companion. */
  readonly full: boolean;
  readonly survey: Survey;
  readonly manifest: Manifest;
  readonly addedBytes: number;
}

async function take(repository: KopiaRepository, options: SnapshotOptions, scan: Scan): Promise<Taken> {
  const wait = repository.looking && options.fidelity !== "Engine";
  const early = wait ? beginCompanion(repository, options, scan) : undefined;
  const drop = async () => early?.drop();
  const { full, changed } = await settlePolicies(repository, options, drop).catch(async (error) => {
    await drop();
    throw error;
  });
  if (full && early && !changed) return takePair(repository, options, { scan, companion: early });
  await drop();
  if (full)
    return takePair(repository, options, { scan, companion: beginCompanion(repository, options, scan) });
  for await (const _ of scan.record);
  return takeData(repository, options, { full, survey: await scan.survey });
}

interface Pair {
  readonly scan: Scan;
  readonly companion: WaitingCompanion;
}

/**
 * The companion is under way, and all that it holds is known, before the data begins: it is there first unless it is
 * held up. Data whose companion does not get there is taken back, and shows as degraded for as long as it is not.
 */
async function takePair(
  repository: KopiaRepository,
  options: SnapshotOptions,
  { scan, companion }: Pair,
): Promise<Taken> {
  let taken: Taken | undefined;
  const { clock } = repository.connection.program;
  const began = clock.monotonic();
  const takeFirst = (signal: AbortSignal) =>
    companion.keep(signal).catch((error) => {
      scan.stop();
      throw error;
    });
  const takeThen = async (signal: AbortSignal) => {
    const survey = await scan.survey;
    taken = await takeData(repository, { ...options, signal }, { full: true, survey });
    return taken;
  };
  try {
    const [, done] = await together(options.signal, takeFirst, takeThen);
    if (clock.monotonic() - began > LONG_MS) await checkCompanion(repository, done.manifest);
    return done;
  } catch (error) {
    if (taken) await repository.delete([taken.manifest.id]);
    throw error;
  }
}

/** A backup of this length is worth a look whether its companion is still there. */
const LONG_MS = 3_600_000;

/** Whoever takes a companion without data for left behind may have deleted it. What cannot be told is not taken for gone. */
async function checkCompanion(repository: KopiaRepository, { identity, run = "" }: Manifest): Promise<void> {
  const what = "recording what kopia does not keep";
  const manifests = await listManifests(repository.connection, { what }).catch(() => undefined);
  if (!manifests || sortOut(manifests).companions.has(pairKey(identity, run))) return;
  throw new EngineError("EngineFailed", `${what}: the record was deleted while the backup was under way`, {
    remedy: "Nothing needs to be done: it is tried again. Find out what deletes snapshots of companions.",
  });
}

function noteOf({ run, tags = {}, unreadable }: SnapshotOptions, survey: Survey, full: boolean): Note {
  return {
    run,
    fidelity: full ? "Full" : "Engine",
    owners: survey.owners.map(({ uid, gid }) => ({ uid, gid })),
    attributes: full ? attributesNeeded(survey) : [],
    hardLinks: full ? survey.hardLinks.count : 0,
    ...(full && survey.longNames.count > 0 ? { longNames: survey.longNames.count } : {}),
    ...(unreadable === "Skip" ? { skipsUnreadable: true } : {}),
    beyond: beyondKopia(survey),
    ...(full ? { digest: survey.digest.slice(0, 32) } : {}),
    tags,
  };
}

function beginCompanion(
  repository: KopiaRepository,
  { identity, run, signal }: SnapshotOptions,
  { record }: Scan,
): WaitingCompanion {
  const companion = companionOf(identity);
  const note = formatNote({ run, fidelity: "Full", attributes: [], hardLinks: 0 });
  const args = [
    ...CREATE,
    override(companion),
    ...tagArguments({ [RUN_TAG]: run }),
    `--stdin-file=${COMPANION_FILE}`,
    `--description=${note}`,
    companion.path,
  ];
  const what = "recording what kopia does not keep";
  const store: StoreRecord = async (stdin, abort) => {
    await repository.runEarly(args, { what, signal: abort, stdin, mustMove: true });
  };
  return new WaitingCompanion(store, record, signal);
}

function override(identity: Identity): string {
  return `--override-source=${identityText(identity)}`;
}

async function takeData(
  repository: KopiaRepository,
  options: SnapshotOptions,
  { full, survey }: Pick<Taken, "full" | "survey">,
): Promise<Taken> {
  const { source, identity, run, tags = {}, parallel, extraArgs = [], signal } = options;
  checkReserved(survey, options);
  await hideReserved(repository, options, survey);
  let addedBytes = 0;
  let last: Progress = {};
  const report = estimated(survey, repository.connection.program.clock, options.onProgress);
  const onProgress = (progress: Progress) => {
    addedBytes = progress.uploadedBytes ?? addedBytes;
    last = progress;
    report?.(progress);
  };
  const args = [
    ...CREATE,
    override(identity),
    `--description=${formatNote(noteOf(options, survey, full))}`,
    ...tagArguments({ ...tags, [RUN_TAG]: run }),
    ...(parallel === undefined ? [] : [`--parallel=${parallel}`]),
    // How much there is the survey says: no need for kopia to walk through the source twice.
    "--progress-estimation-type=rough",
    ...extraArgs,
    source,
  ];
  let refusal: string | undefined;
  const end = await repository.run(args, {
    what: WHAT,
    signal,
    onProgress,
    mustMove: true,
    folder: source,
    // A manifest names few of the files that failed.
    overlook: (line) => {
      if (REFUSED.test(line)) refusal ??= line;
      return false;
    },
    // A snapshot that was complete when the signal came stays one.
    accept: ({ code, words }) =>
      code === 0 || (/Found \d+ fatal error/.test(words) && !/flush error/.test(words)),
  });
  const manifest = printed(end.stdout);
  if (manifest?.incomplete !== undefined || !manifest) throwIfAborted(WHAT, signal);
  if (!manifest)
    throw new EngineError("EngineFailed", `${WHAT}: kopia did not say what it made`, { detail: end.words });
  if (manifest.incomplete !== undefined) {
    throw new EngineError("EngineFailed", `${WHAT}: kopia stopped early: ${manifest.incomplete}`, {
      detail: end.words,
    });
  }
  refusal ??= manifest.errors.find(isNotStored)?.error;
  if (refusal !== undefined) {
    // What is left out on purpose is what cannot be read, never what the storage failed.
    await repository.delete([manifest.id]).catch(() => {});
    throw kopiaFailure(WHAT, { ...end, code: 1, words: refusal }, { folder: source });
  }
  const missing = missingFiles(manifest, options.unreadable === "Skip");
  if (missing > 0) throw sourceUnreadable(missing, manifest);
  const { files, bytes } = manifest;
  report?.({ ...last, files, bytes, estimatedFiles: files, estimatedBytes: bytes });
  return { full, survey, manifest, addedBytes };
}

/** How kopia says at once that the storage did not take a part of a file. */
const REFUSED = /^async write error: /;

function sourceUnreadable(missing: number, { errors }: Manifest): EngineError {
  const [first] = errors;
  const others = missing > 1 ? ` and ${missing - 1} more` : "";
  const why = first
    ? `${first.path} could not be read${others}: ${first.error}`
    : `${missing} files could not be read`;
  const detail = errors.map(({ path, error }) => `${path}: ${error}`).join("\n");
  return new EngineError("SourceUnreadable", `${WHAT}: ${why}`, { detail });
}

/** What kopia does not see it does not miss either. */
function checkReserved({ unreadable }: Survey, options: SnapshotOptions): void {
  const [first] = unreadable.examples;
  if (first === undefined || options.unreadable === "Skip") return;
  const others = unreadable.count > 1 ? ` and ${unreadable.count - 1} more` : "";
  throw new EngineError("SourceUnreadable", `${WHAT}: ${first} could not be read${others}`);
}

/** The manifest among what kopia printed. */
function printed(stdout: string): Manifest | undefined {
  const start = stdout.indexOf("{");
  try {
    return start < 0 ? undefined : parseManifest(JSON.parse(stdout.slice(start)));
  } catch {
    return undefined;
  }
}

/** Deletes the new snapshot when the identity's last one before it holds the same, and returns that one. */
async function dropIdentical(repository: KopiaRepository, made: Manifest, options: SnapshotOptions) {
  const { data, companions } = sortOut(await repository.manifests(options));
  const keys = new Set(companions.keys());
  const last = data.findLast(
    ({ id, identity, incomplete, failed }) =>
      id !== made.id && sameIdentity(identity, made.identity) && incomplete === undefined && failed === 0,
  );
  if (!last || last.root !== made.root || last.note?.digest !== made.note?.digest) return undefined;
  const earlier = toSnapshot(last, keys);
  const usable = earlier.incomplete === undefined && earlier.fidelity !== "Degraded";
  if (!usable || !mayReferTo(earlier, options)) return undefined;
  await repository.delete([made.id], options);
  return earlier;
}

function expectedLosses(survey: Survey, full: boolean): readonly Loss[] {
  const sockets = lossesOf([["Socket", survey.sockets]], "a socket belongs to the process that made it");
  const unread = lossesOf([["Content", survey.unreadable]], "it could not be read");
  if (full) return [...unread, ...sockets];
  const long = lossesOf([["Content", survey.longNames]], NOT_WRITABLE);
  return [...lossesOf(countedBeyond(survey), NOT_RECORDED), ...long, ...sockets];
}
