import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
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

/** Surveys a source, and records what restic would lose of it. */
export async function readRemains(
  program: Pick<FidelityProgram, "remains">,
  { source, fidelity = "Full", signal }: Pick<SnapshotOptions, "source" | "fidelity" | "signal">,
): Promise<Remains> {
  const scan = await program.remains(source, signal);
  return remainsOf(await collected(scan), await scan.survey, fidelity);
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
  return promisify(inflateRaw)(Buffer.from(text, "base64url"), { maxOutputLength: LARGEST_RECORD });
}

/** Whether a record says what the root folder's own attributes are: its first entry would. */
export function knowsRoot(record: Buffer): boolean {
  return record.indexOf('{"p":"",') === record.indexOf("\n") + 1;
}
