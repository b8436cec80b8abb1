import { stat } from "node:fs/promises";
import { CAPABILITIES } from "../../wire/capabilities.ts";
import { EngineError } from "../../wire/engine_error.ts";
import { type Identity, identityText, sameIdentity } from "../../wire/identity.ts";
import type { Progress } from "../../wire/progress.ts";
import type { Loss } from "../../wire/snapshot.ts";
import { RESERVED_TAG_PREFIX, RUN_TAG } from "../../wire/tags.ts";
import { throwIfAborted } from "../aborted.ts";
import type { SnapshotOptions, SnapshotResult } from "../engine.ts";
import { attributesNeeded, lossesOf, type Survey } from "../fidelity/survey.ts";
import { COMPANION_FILE, checkIdentity, companionOf, pairKey } from "./companion.ts";
import { type KopiaEnd, kopiaFailure } from "./failure.ts";
import type { KopiaRepository } from "./kopia_repository.ts";
import { type Manifest, parseManifest, sortOut, tagArguments, toSnapshot } from "./manifest.ts";
import { formatNote, type Note } from "./note.ts";
import { COMPANION_POLICY, dataPolicy, type Policy, samePolicies } from "./policy.ts";
import { together } from "./together.ts";

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

/** Takes a snapshot: first the companion, so that data is never there without it, then the data. */
export async function takeSnapshot(
  repository: KopiaRepository,
  options: SnapshotOptions,
): Promise<SnapshotResult> {
  checkOptions(options);
  await checkSource(options.source);
  const full = options.fidelity !== "Engine";
  const policies: Record<string, Policy> = { [identityText(options.identity)]: dataPolicy(options) };
  if (full) policies[identityText(companionOf(options.identity))] = COMPANION_POLICY;

  const [survey, held] = await together(
    options.signal,
    (signal) =>
      full ? takeCompanion(repository, options, signal) : repository.fidelity.survey(options.source, signal),
    (signal) => hasPolicies(repository, policies, signal),
  );
  if (!held) await setPolicies(repository, policies, options.signal);
  const note: Note = {
    run: options.run,
    fidelity: full ? "Full" : "Engine",
    owners: survey.owners.map(({ uid, gid }) => ({ uid, gid })),
    attributes: full ? attributesNeeded(survey) : [],
    hardLinks: full ? survey.hardLinks.count : 0,
    ...(full ? { digest: survey.digest.slice(0, 32) } : {}),
    tags: options.tags ?? {},
  };
  const { manifest, addedBytes } = await takeData(repository, options, note);
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
    unreadable: manifest.errors.map(({ path }) => path),
  };
}

function checkOptions({ identity, run, tags = {}, compression = {} }: SnapshotOptions): void {
  checkIdentity(identity);
  const invalid = (text: string) => new EngineError("InvalidOption", `${WHAT}: ${text}`);
  for (const [key, value] of Object.entries({ ...tags, run })) {
    if (!/^[A-Za-z0-9.-]+$/.test(key))
      throw invalid(`the tag "${key}" has a key of other than letters, digits, . and -`);
    if (/[\n,]/.test(value)) throw invalid(`the tag ${key} has a newline or a comma in its value`);
    if (key.startsWith(RESERVED_TAG_PREFIX))
      throw invalid(`tags that begin with ${RESERVED_TAG_PREFIX} are reserved`);
  }
  const { compressor } = compression;
  if (compressor !== undefined && !CAPABILITIES.kopia.compression.includes(compressor)) {
    throw new EngineError("Unsupported", `${WHAT}: kopia has no compressor ${compressor}`);
  }
}

async function checkSource(source: string): Promise<void> {
  try {
    if ((await stat(source)).isDirectory()) return;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const errorClass = code === "EACCES" ? "SourceUnreadable" : "SourceMissing";
    throw new EngineError(errorClass, `${WHAT}: ${message}`, { cause });
  }
  throw new EngineError("SourceMissing", `${WHAT}: ${source} is not a folder`);
}

async function takeCompanion(
  repository: KopiaRepository,
  { source, identity, run }: SnapshotOptions,
  signal: AbortSignal,
): Promise<Survey> {
  const helper = new AbortController();
  const helperSignal = AbortSignal.any([signal, helper.signal]);
  const { record, survey } = await repository.fidelity.scan(source, helperSignal);
  const companion = companionOf(identity);
  const args = [
    ...CREATE,
    override(companion),
    ...tagArguments({ [RUN_TAG]: run }),
    `--stdin-file=${COMPANION_FILE}`,
  ];
  const note = formatNote({ run, fidelity: "Full", attributes: [], hardLinks: 0 });
  try {
    await repository.run([...args, `--description=${note}`, companion.path], {
      what: "recording what kopia does not keep",
      signal,
      stdin: record,
    });
  } catch (error) {
    if (isKill(error)) await survey.catch((why) => (isKill(why) ? undefined : Promise.reject(why)));
    helper.abort();
    throw error;
  }
  return survey;
}

/** A record that breaks off ends kopia by force: then the helper knows why. */
function isKill(error: unknown): boolean {
  return error instanceof EngineError && error.class === "OutOfMemory";
}

function override(identity: Identity): string {
  return `--override-source=${identityText(identity)}`;
}

async function hasPolicies(
  repository: KopiaRepository,
  wanted: Readonly<Record<string, Policy>>,
  signal: AbortSignal,
): Promise<boolean> {
  const { code, stdout } = await repository.run(["policy", "export", ...Object.keys(wanted)], {
    what: "reading policies",
    signal,
    accept: ({ words }) => /policy not found/.test(words),
  });
  return code === 0 && samePolicies(JSON.parse(stdout), wanted);
}

async function setPolicies(
  repository: KopiaRepository,
  policies: Readonly<Record<string, Policy>>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const input = async function* () {
    yield Buffer.from(JSON.stringify(policies));
  };
  await repository.run(["policy", "import"], { what: "setting policies", signal, stdin: input() });
}

async function takeData(
  repository: KopiaRepository,
  options: SnapshotOptions,
  note: Note,
): Promise<{ readonly manifest: Manifest; readonly addedBytes: number }> {
  const { source, identity, run, tags = {}, parallel, extraArgs = [], signal } = options;
  let addedBytes = 0;
  const onProgress = (progress: Progress) => {
    addedBytes = progress.uploadedBytes ?? addedBytes;
    options.onProgress?.(progress);
  };
  const args = [
    ...CREATE,
    override(identity),
    `--description=${formatNote(note)}`,
    ...tagArguments({ ...tags, [RUN_TAG]: run }),
    ...(parallel === undefined ? [] : [`--parallel=${parallel}`]),
    ...extraArgs,
    source,
  ];
  const end = await repository.run(args, {
    what: WHAT,
    signal,
    onProgress,
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
  if (manifest.failed > 0) throw unreadable(manifest, end);
  return { manifest, addedBytes };
}

/** Files are missing: because of themselves, or because the storage failed them. */
function unreadable({ failed, errors }: Manifest, end: KopiaEnd): EngineError {
  const [first] = errors;
  if (first && /unable to complete|PutBlob|unable to write/.test(first.error)) return kopiaFailure(WHAT, end);
  const others = failed > 1 ? ` and ${failed - 1} more` : "";
  const why = first
    ? `${first.path} could not be read${others}: ${first.error}`
    : `${failed} files could not be read`;
  const detail = errors.map(({ path, error }) => `${path}: ${error}`).join("\n");
  return new EngineError("SourceUnreadable", `${WHAT}: ${why}`, { detail });
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
  if (earlier.fidelity === "Degraded") return undefined;
  await repository.delete([made.id], options);
  return earlier;
}

function expectedLosses(survey: Survey, full: boolean): readonly Loss[] {
  const sockets = lossesOf([["Socket", survey.sockets]], "a socket belongs to the process that made it");
  if (full) return sockets;
  const reason = "kopia does not keep it, and fidelity is Engine";
  return [
    ...lossesOf(
      [
        ["HardLink", survey.hardLinks],
        ["ExtendedAttribute", survey.xattrs],
        ["Acl", survey.acls],
        ["FileCapability", survey.capabilities],
        ["Fifo", survey.fifos],
        ["Device", survey.devices],
        ["Name", survey.names],
        ["Time", { count: survey.folders + survey.times.count, examples: survey.times.examples }],
      ],
      reason,
    ),
    ...sockets,
  ];
}
