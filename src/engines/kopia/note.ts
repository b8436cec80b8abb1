import { isRecord } from "../../lib/json.ts";
import type { Owner } from "../../wire/snapshot.ts";
import type { Tags } from "../../wire/tags.ts";
import type { AttributeKind } from "../fidelity/survey.ts";
import type { BeyondKopia } from "./beyond_kopia.ts";

/**
 * What is written into a snapshot's description, since kopia drops tags when it copies snapshots between
 * repositories, and keeps the description.
 */
export interface Note {
  readonly run: string;
  readonly fidelity: "Full" | "Engine";
  /** Absent when there were too many to keep. */
  readonly owners?: readonly Owner[];
  readonly attributes: readonly AttributeKind[];
  readonly hardLinks: number;
  /** Names that kopia cannot restore, and the companion holds with their content. Absent where there are none. */
  readonly longNames?: number;
  /** The run was allowed to leave out what it could not read. */
  readonly skipsUnreadable?: boolean;
  /** What does not come back without a companion. Absent where it was not counted. */
  readonly beyond?: BeyondKopia;
  /** SHA-256 of the companion's record, cut. */
  readonly digest?: string;
  /** Absent when they were too long to keep: then kopia's tags are the only ones. */
  readonly tags?: Tags;
}

const MARK = "holdfast/1 ";

/** kopia refuses longer descriptions. */
const MAX_LENGTH = 1024;

/** The most owners that are kept. */
export const MAX_OWNERS = 32;

/** A note as a description; what does not fit is left out, the tags first. */
export function formatNote(note: Note): string {
  const { tags, owners, ...rest } = note;
  const written = owners?.slice(0, MAX_OWNERS + 1).map(({ uid, gid }) => [uid, gid]);
  const kept = written && written.length <= MAX_OWNERS ? { owners: written } : {};
  const candidates = [{ ...rest, ...kept, tags }, { ...rest, ...kept }, rest];
  const texts = candidates.map((candidate) => MARK + JSON.stringify(candidate));
  return texts.find((text) => Buffer.byteLength(text) <= MAX_LENGTH) ?? "";
}

/** Undefined for a description that is not a note. */
export function parseNote(description: unknown): Note | undefined {
  if (typeof description !== "string" || !description.startsWith(MARK)) return undefined;
  const value = parse(description.slice(MARK.length));
  if (!isRecord(value) || typeof value.run !== "string") return undefined;
  const { run, fidelity, owners, attributes, hardLinks } = value;
  const { longNames, skipsUnreadable, beyond, digest, tags } = value;
  return {
    run,
    fidelity: fidelity === "Full" ? "Full" : "Engine",
    ...(Array.isArray(owners) ? { owners: owners.map(([uid, gid]) => ({ uid, gid })) } : {}),
    attributes: Array.isArray(attributes) ? attributes : [],
    hardLinks: typeof hardLinks === "number" ? hardLinks : 0,
    ...(skipsUnreadable === true ? { skipsUnreadable } : {}),
    ...(typeof longNames === "number" ? { longNames } : {}),
    ...(isRecord(beyond) ? { beyond: beyond as BeyondKopia } : {}),
    ...(typeof digest === "string" ? { digest } : {}),
    ...(isRecord(tags) ? { tags: tags as Tags } : {}),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
