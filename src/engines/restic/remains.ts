import { promisify } from "node:util";
import type { Fidelity, Loss } from "../../wire/snapshot.ts";
import type { SnapshotOptions } from "../engine.ts";
import type { FidelityProgram, Scan } from "../fidelity/fidelity_program.ts";
import { lossesOf, type Survey } from "../fidelity/survey.ts";

/** What restic takes as one argument is at most 128 KiB; compressed, this much has room for thousands of files. */
const MOST_KEPT = 64 * 1024;
const LARGEST_RECORD = 16 * 2 ** 20;

/** What restic itself does not keep of a source, or does not put back: the root folder's own. As the text of a tag. */
export interface Remains {
  readonly survey: Survey;
  readonly fidelity: Exclude<Fidelity, "Degraded">;
  /** Undefined when there is nothing, or it is not kept: then they are losses. */
  readonly text?: string;
  readonly losses: readonly Loss[];
}

/** Remains that are being read. Dispose of it when nobody wants them any more. */
export interface Reading extends Disposable {
  /** What all of them are likely to be, long before; undefined when that was not foreseen. */
  readonly likely: Promise<Remains | undefined>;
  readonly all: Promise<Remains>;
}

/** Surveys a source, and records what restic would lose of it. */
export function readRemains(
  program: Pick<FidelityProgram, "remains">,
  { source, fidelity = "Full", signal }: Pick<SnapshotOptions, "source" | "fidelity" | "signal">,
): Reading {
  const scanning = program.remains(source, signal);
  const all = scanning.then(async (scan) => {
    const record = await collected(scan);
    return remainsOf(record, await scan.survey, fidelity);
  });
  const likely = scanning.then(async ({ foreseen }) => {
    const found = await foreseen;
    return found && remainsOf(found.record, found.survey, fidelity);
  });
  const stop = () => scanning.then((scan) => scan.stop());
  // Whoever waits for them is told, and nobody may.
  for (const promise of [all, likely]) promise.catch(() => {});
  return { likely, all, [Symbol.dispose]: () => void stop().catch(() => {}) };
}

async function remainsOf(
  record: Buffer | undefined,
  survey: Survey,
  fidelity: Remains["fidelity"],
): Promise<Remains> {
  const sockets = lossesOf([["Socket", survey.sockets]], "a socket belongs to the process that made it");
  if (fidelity === "Engine") {
    const losses = [...lost(survey, "restic does not keep it, and fidelity is Engine"), ...sockets];
    return { survey, fidelity, losses };
  }
  // Loaded while the helper is at work: restic waits for both.
  const { deflateRaw } = process.getBuiltinModule("node:zlib");
  const text = record && (await promisify(deflateRaw)(record)).toString("base64url");
  if (text !== undefined && text.length <= MOST_KEPT) return { survey, fidelity, text, losses: sockets };
  // Then it is the root folder's own that is too long, and the snapshot holds it, too.
  if (survey.times.count + survey.linkedSymlinks.count === 0) return { survey, fidelity, losses: sockets };
  const why = "restic does not keep it, and there is too much of it to keep it in a tag";
  return { survey, fidelity: "Engine", losses: [...lost(survey, why), ...sockets] };
}

async function collected({ record }: Scan): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of record) {
    size += part.length;
    if (size <= LARGEST_RECORD) parts.push(part);
  }
  return size <= LARGEST_RECORD ? Buffer.concat(parts) : undefined;
}

function lost({ times, linkedSymlinks }: Survey, reason: string): readonly Loss[] {
  return lossesOf(
    [
      ["Time", times],
      ["HardLink", linkedSymlinks],
    ],
    reason,
  );
}

/** The record that a tag holds. */
export async function recordIn(text: string): Promise<Buffer> {
  const { inflateRaw } = process.getBuiltinModule("node:zlib");
  return promisify(inflateRaw)(Buffer.from(text, "base64url"), { maxOutputLength: LARGEST_RECORD });
}

/** Whether a record says what the root folder's own attributes are: its first entry would. */
export function knowsRoot(record: Buffer): boolean {
  return record.indexOf('{"p":"",') === record.indexOf("\n") + 1;
}
