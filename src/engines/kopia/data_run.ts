import { EngineError } from "../../wire/engine_error.ts";
import { onlyOwner } from "../../wire/only_owner.ts";
import type { Progress } from "../../wire/progress.ts";
import type { FileChanges } from "../../wire/snapshot.ts";
import { RUN_TAG } from "../../wire/tags.ts";
import { throwIfAborted } from "../aborted.ts";
import type { SnapshotOptions } from "../engine.ts";
import { estimated } from "../estimated.ts";
import { attributesNeeded, type Survey } from "../fidelity/survey.ts";
import { beyondKopia } from "./beyond_kopia.ts";
import { kopiaFailure } from "./failure.ts";
import { checkRules, hideReserved } from "./identity_policies.ts";
import type { KopiaRepository } from "./kopia_repository.ts";
import { isNotStored, type Manifest, missingFiles, parseManifest, tagArguments } from "./manifest.ts";
import { formatNote, type Note } from "./note.ts";
import { snapshotCommand } from "./snapshot_command.ts";

const WHAT = "taking a snapshot";

/** A snapshot of the data that was taken. */
export interface Taken {
  readonly manifest: Manifest;
  readonly addedBytes: number;
  readonly changes: FileChanges;
}

/** Takes the snapshot of the data. `full`: it has a companion. */
export async function takeData(
  repository: KopiaRepository,
  options: SnapshotOptions,
  { survey, full }: { readonly survey: Survey; readonly full: boolean },
): Promise<Taken> {
  checkReserved(survey, options);
  checkRules(survey);
  await hideReserved(repository, options, survey);
  const { source, identity, run, tags = {}, parallel, extraArgs = [], signal } = options;
  let addedBytes = 0;
  let last: Progress = {};
  const report = estimated(survey, repository.connection.program.clock, options.onProgress);
  let unchanged = 0;
  const onProgress = (progress: Progress, cachedFiles = 0) => {
    addedBytes = progress.uploadedBytes ?? addedBytes;
    unchanged = cachedFiles;
    last = progress;
    report?.(progress);
  };
  const args = snapshotCommand(identity, [
    `--description=${formatNote(noteOf(options, survey, full))}`,
    ...tagArguments({ ...tags, [RUN_TAG]: run }),
    ...repository.connection.parallelArguments(parallel),
    // How much there is the survey says: no need for kopia to walk through the source twice.
    "--progress-estimation-type=rough",
    ...extraArgs,
    source,
  ]);
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
  if (missing > 0) throw sourceUnreadable(missing, manifest, survey);
  const { files, bytes } = manifest;
  report?.({ ...last, files, bytes, estimatedFiles: files, estimatedBytes: bytes });
  return { manifest, addedBytes, changes: changesOf(files, unchanged) };
}

/** kopia says which files it took over, and does not tell new ones from changed ones: without any, both are none. */
export function changesOf(files: number | undefined, unchanged: number): FileChanges {
  return files !== undefined && unchanged >= files ? { new: 0, modified: 0, unchanged } : { unchanged };
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

/** How kopia says at once that the storage did not take a part of a file. */
const REFUSED = /^async write error: /;

function sourceUnreadable(missing: number, { errors }: Manifest, { owners }: Survey): EngineError {
  const [first] = errors;
  const others = missing > 1 ? ` and ${missing - 1} more` : "";
  const why = first
    ? `${first.path} could not be read${others}: ${first.error}`
    : `${missing} files could not be read`;
  const detail = errors.map(({ path, error }) => `${path}: ${error}`).join("\n");
  return new EngineError("SourceUnreadable", `${WHAT}: ${why}`, { detail, ...onlyOwner(owners) });
}

/** What kopia does not see it does not miss either. */
function checkReserved({ unreadable, owners }: Survey, options: SnapshotOptions): void {
  const [first] = unreadable.examples;
  if (first === undefined || options.unreadable === "Skip") return;
  const others = unreadable.count > 1 ? ` and ${unreadable.count - 1} more` : "";
  const why = `${first} could not be read${others}`;
  throw new EngineError("SourceUnreadable", `${WHAT}: ${why}`, onlyOwner(owners));
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
