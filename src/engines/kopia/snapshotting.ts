import { sameIdentity } from "../../wire/identity.ts";
import type { Loss } from "../../wire/snapshot.ts";
import type { SnapshotOptions, SnapshotResult } from "../engine.ts";
import { lossesOf, type Survey } from "../fidelity/survey.ts";
import { mayReferTo } from "../may_refer_to.ts";
import { SourceFolder } from "../source_folder.ts";
import { countedBeyond, NOT_RECORDED, NOT_WRITABLE } from "./beyond_kopia.ts";
import { pairKey } from "./companion.ts";
import { checkCompanion, storeCompanion } from "./companion_run.ts";
import { type Taken, takeData } from "./data_run.ts";
import { settlePolicies } from "./identity_policies.ts";
import type { KopiaRepository } from "./kopia_repository.ts";
import { type Manifest, sortOut, toSnapshot } from "./manifest.ts";
import { checkSnapshotOptions } from "./snapshot_options.ts";

const WHAT = "taking a snapshot";

/** Takes a snapshot: first its companion, so that none is ever without, then the data. */
export async function takeSnapshot(
  repository: KopiaRepository,
  options: SnapshotOptions,
): Promise<SnapshotResult> {
  checkSnapshotOptions(options);
  const folder = await SourceFolder.look(options.source, WHAT);
  const full = await settlePolicies(repository, options);
  const survey = await surveySource(repository, options, full);
  const { manifest, addedBytes, changes } = await takeWithCompanion(repository, options, { survey, full });
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
    changes,
    losses: [...expectedLosses(survey, full), ...excludedLosses(survey, options)],
    unreadable: [...manifest.errors.map(({ path }) => path), ...survey.unreadable.examples],
  };
}

/** Walks through the source, and stores what the helper records of it as the companion. */
async function surveySource(
  repository: KopiaRepository,
  options: SnapshotOptions,
  full: boolean,
): Promise<Survey> {
  const scan = await repository.fidelity.scan(options.source, options);
  try {
    if (full) await storeCompanion(repository, options, scan.record);
    // There is no survey before the record has been read.
    else for await (const _ of scan.record);
    return await scan.survey;
  } catch (error) {
    scan.stop();
    throw error;
  }
}

async function takeWithCompanion(
  repository: KopiaRepository,
  options: SnapshotOptions,
  how: { readonly survey: Survey; readonly full: boolean },
): Promise<Taken> {
  const { clock } = repository.connection.program;
  const began = clock.monotonic();
  const taken = await takeData(repository, options, how);
  if (!how.full || clock.monotonic() - began <= LONG_MS) return taken;
  await checkCompanion(repository, taken.manifest).catch(async (error) => {
    await repository.delete([taken.manifest.id]);
    throw error;
  });
  return taken;
}

/** A backup of this length is worth a look whether its companion is still there. */
const LONG_MS = 3_600_000;

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
  await repository.delete([made.id], options.signal ? { signal: options.signal } : {});
  return earlier;
}

const EXCLUDED = "an ignore file or a CACHEDIR.TAG in the volume excludes it, where a folder counts once";

function excludedLosses(survey: Survey, { ignore }: SnapshotOptions): readonly Loss[] {
  return ignore?.counted ? lossesOf([["Content", survey.excluded]], EXCLUDED) : [];
}

function expectedLosses(survey: Survey, full: boolean): readonly Loss[] {
  const sockets = lossesOf([["Socket", survey.sockets]], "a socket belongs to the process that made it");
  const unread = lossesOf([["Content", survey.unreadable]], "it could not be read");
  if (full) return [...unread, ...sockets];
  const long = lossesOf([["Content", survey.longNames]], NOT_WRITABLE);
  return [...lossesOf(countedBeyond(survey), NOT_RECORDED), ...long, ...sockets];
}
