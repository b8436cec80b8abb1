import { isRecord } from "../../lib/json.ts";
import type { Loss, LossKind, Owner } from "../../wire/snapshot.ts";

/** How often something was seen, and a few of the paths. */
export interface Counted {
  readonly count: number;
  readonly examples: readonly string[];
}

/** What a source holds that an engine may not keep. */
export interface Survey {
  readonly files: number;
  readonly folders: number;
  readonly bytes: number;
  /** Names beyond the first of a file. */
  readonly hardLinks: Counted;
  /** Those of them that are symlinks. */
  readonly linkedSymlinks: Counted;
  readonly xattrs: Counted;
  readonly acls: Counted;
  readonly capabilities: Counted;
  readonly fifos: Counted;
  readonly devices: Counted;
  readonly sockets: Counted;
  /** Names that are not UTF-8. */
  readonly names: Counted;
  /** Those of them that are too long for a name as UTF-8. */
  readonly longNames: Counted;
  /** Paths whose names kopia has a meaning of its own for, with what it would take them for: it must not see them. */
  readonly reserved: Counted;
  /** Patterns that keep kopia from seeing them: one more than {@link MOST_RULES} where there are too many. */
  readonly rules: readonly string[];
  /** Those of the reserved paths that cannot be read. */
  readonly unreadable: Counted;
  /** What files in the data itself leave out, as far as they are honoured: a folder counts once, whatever is in it. */
  readonly excluded: Counted;
  /** Modification times outside the years 1678 to 2261. */
  readonly times: Counted;
  /** Some extended attributes need the right to administrate: those of trusted and, but for capabilities, security. */
  readonly trusted: boolean;
  /** Most frequent first. */
  readonly owners: readonly (Owner & { readonly count: number })[];
  /** SHA-256 of the whole record: equal ones mean equal attributes. */
  readonly digest: string;
}

/** As many rules kopia is given, which tries each on every path. */
export const MOST_RULES = 256;

/** The kinds of attributes that a restore may have to be allowed to set. */
export type AttributeKind = "user" | "trusted" | "acl" | "capability";

/** Reads the helper's last line. */
export function parseSurvey(value: unknown): Survey {
  const from = isRecord(value) ? value : {};
  const counted = (key: string) => parseCounted(from[key]);
  return {
    files: numberOf(from.files),
    folders: numberOf(from.folders),
    bytes: numberOf(from.bytes),
    hardLinks: counted("hardLinks"),
    linkedSymlinks: counted("linkedSymlinks"),
    xattrs: counted("xattrs"),
    acls: counted("acls"),
    capabilities: counted("capabilities"),
    fifos: counted("fifos"),
    devices: counted("devices"),
    sockets: counted("sockets"),
    names: counted("names"),
    longNames: counted("longNames"),
    reserved: counted("reserved"),
    rules: Array.isArray(from.rules) ? from.rules.map(String) : [],
    unreadable: counted("unreadable"),
    excluded: counted("excluded"),
    times: counted("times"),
    trusted: from.trusted === true,
    owners: (Array.isArray(from.owners) ? from.owners : [])
      .filter(isRecord)
      .map(({ uid, gid, count }) => ({ uid: numberOf(uid), gid: numberOf(gid), count: numberOf(count) })),
    digest: String(from.digest ?? ""),
  };
}

export function parseCounted(value: unknown): Counted {
  const from = isRecord(value) ? value : {};
  const examples = Array.isArray(from.examples) ? from.examples.map(String) : [];
  return { count: numberOf(from.count), examples };
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** The attributes that a restore of this source has to set. */
export function attributesNeeded(survey: Survey): readonly AttributeKind[] {
  const needed: AttributeKind[] = [];
  if (survey.xattrs.count > 0) needed.push("user");
  if (survey.trusted) needed.push("trusted");
  if (survey.acls.count > 0) needed.push("acl");
  if (survey.capabilities.count > 0) needed.push("capability");
  return needed;
}

/** Makes losses of counts; what was counted zero times is none. */
export function lossesOf(counts: readonly (readonly [LossKind, Counted])[], reason: string): readonly Loss[] {
  return counts
    .filter(([, { count }]) => count > 0)
    .map(([kind, { count, examples }]) => ({ kind, count, examples, reason }));
}
