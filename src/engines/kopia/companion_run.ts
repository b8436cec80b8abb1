import { EngineError } from "../../wire/engine_error.ts";
import { RUN_TAG } from "../../wire/tags.ts";
import type { SnapshotOptions } from "../engine.ts";
import type { Scan } from "../fidelity/fidelity_program.ts";
import { COMPANION_FILE, companionOf, pairKey } from "./companion.ts";
import type { KopiaRepository } from "./kopia_repository.ts";
import { listManifests } from "./listing.ts";
import { type Manifest, sortOut, tagArguments } from "./manifest.ts";
import { formatNote } from "./note.ts";
import { snapshotCommand } from "./snapshot_command.ts";

const WHAT = "recording what kopia does not keep";

/** Stores the companion of a snapshot: kopia reads the record while the helper writes it. */
export async function storeCompanion(
  repository: KopiaRepository,
  { identity, run, signal }: SnapshotOptions,
  record: Scan["record"],
): Promise<void> {
  const companion = companionOf(identity);
  const note = formatNote({ run, fidelity: "Full", attributes: [], hardLinks: 0 });
  const args = snapshotCommand(companion, [
    ...tagArguments({ [RUN_TAG]: run }),
    `--stdin-file=${COMPANION_FILE}`,
    `--description=${note}`,
    companion.path,
  ]);
  let broken: unknown;
  const stdin = (async function* (): AsyncIterable<Uint8Array> {
    try {
      yield* record;
    } catch (error) {
      broken = error;
      throw error;
    }
  })();
  try {
    await repository.run(args, { what: WHAT, signal, stdin, mustMove: true });
  } catch (error) {
    // A record that breaks off ends kopia by force: then it knows why.
    throw broken ?? error;
  }
}

/** Whoever takes a companion without data for left behind may have deleted it. What cannot be told is not taken for gone. */
export async function checkCompanion(
  { connection }: KopiaRepository,
  { identity, run = "" }: Manifest,
): Promise<void> {
  const manifests = await listManifests(connection, { what: WHAT }).catch(() => undefined);
  if (!manifests || sortOut(manifests).companions.has(pairKey(identity, run))) return;
  throw new EngineError("EngineFailed", `${WHAT}: the record was deleted while the backup was under way`, {
    remedy: "Nothing needs to be done: it is tried again. Find out what deletes snapshots of companions.",
  });
}
