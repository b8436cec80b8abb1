import { sameIdentity } from "../../wire/identity.ts";
import type { Loss } from "../../wire/snapshot.ts";
import type { SnapshotOptions, SnapshotResult } from "../engine.ts";
import type { Scan } from "../fidelity/fidelity_program.ts";
import { lossesOf, type Survey } from "../fidelity/survey.ts";
import { mayReferTo } from "../may_refer_to.ts";
import { SourceFolder } from "../source_folder.ts";
import { together } from "../together.ts";
import { countedBeyond, NOT_RECORDED, NOT_WRITABLE } from "./beyond_kopia.ts";
import { pairKey } from "./companion.ts";
import { checkCompanion, startCompanion } from "./companion_run.ts";
import { startData, type Taken } from "./data_run.ts";
import { settlePolicies } from "./identity_policies.ts";
import type { KopiaRepository } from "./kopia_repository.ts";
import { type Manifest, sortOut, toSnapshot } from "./manifest.ts";
import { checkSnapshotOptions } from "./snapshot_options.ts";
import type { WaitingRun } from "./waiting_run.ts";

const WHAT = "taking a snapshot";

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

/** The runs of kopia that make a snapshot. */
interface Pair {
  /** Undefined without fidelity. */
  readonly companion: WaitingRun<void> | undefined;
  readonly data: WaitingRun<Taken>;
}

/** Starts both while it is being found out which repository it is, and begins anew where that shows something else. */
async function take(
  repository: KopiaRepository,
  options: SnapshotOptions,
  scan: Scan,
): Promise<Taken & { readonly full: boolean }> {
  const likely = options.fidelity !== "Engine";
  let pair = repository.looking ? startPair(repository, options, scan, likely) : undefined;
  const drop = async () => {
    await Promise.all([pair?.companion?.drop(), pair?.data.drop()]);
    pair = undefined;
  };
  const { full, changed } = await settlePolicies(repository, options, drop).catch(async (error) => {
    await drop();
    throw error;
  });
  if (changed || full !== likely) await drop();
  pair ??= startPair(repository, options, scan, full);
  return { full, ...(await takePair(repository, options, pair)) };
}

function startPair(repository: KopiaRepository, options: SnapshotOptions, scan: Scan, full: boolean): Pair {
  const companion = full ? startCompanion(repository, options, scan) : undefined;
  if (!companion) discard(scan.record);
  return { companion, data: startData(repository, options, { scan, full }) };
}

/** Nobody wants it, and there is no survey before it has been read. */
async function discard(record: Scan["record"]): Promise<void> {
  try {
    for await (const _ of record);
  } catch {
    // Then there is no survey either, which is what somebody waits for.
  }
}

/** The data begin when their companion is stored, so that none is ever without. */
async function takePair(
  repository: KopiaRepository,
  options: SnapshotOptions,
  { companion, data }: Pair,
): Promise<Taken> {
  const { clock } = repository.connection.program;
  const began = clock.monotonic();
  const first = async (abort: AbortSignal) => {
    companion?.allow();
    await companion?.done(abort);
    data.allow();
  };
  const [, taken] = await together(options.signal, first, (abort) => data.done(abort));
  if (!companion || clock.monotonic() - began <= LONG_MS) return taken;
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

function expectedLosses(survey: Survey, full: boolean): readonly Loss[] {
  const sockets = lossesOf([["Socket", survey.sockets]], "a socket belongs to the process that made it");
  const unread = lossesOf([["Content", survey.unreadable]], "it could not be read");
  if (full) return [...unread, ...sockets];
  const long = lossesOf([["Content", survey.longNames]], NOT_WRITABLE);
  return [...lossesOf(countedBeyond(survey), NOT_RECORDED), ...long, ...sockets];
}
