import { durationMs } from "../../../core/policy/duration.ts";
import {
  ANNOTATIONS,
  LABELS,
  MODES,
  type Mode,
  RESTORE_MODES,
  type RestoreMode,
  STATE_ANNOTATIONS,
  TIERS,
  type Tier,
} from "../../../kinds/plumber/words.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { MAX_ID, type PlumberSettings } from "../settings.ts";
import { type BackupIdentity, defaultIdentity, parseIdentity } from "./backup_identity.ts";

/** What the labels and annotations of a PVC ask for. */
export interface ParsedPvc {
  /** `enabled`: true opts it in, false takes its schedule away; absent, it is none of this API's. */
  readonly enabled: boolean | undefined;
  /** The second label of the fuse. */
  readonly managed: boolean;
  /** Absent where the label is, and where its value is none. */
  readonly tier: Tier | undefined;
  readonly hasTier: boolean;
  readonly mode: Mode;
  readonly restoreMode: RestoreMode;
  readonly identity: BackupIdentity;
  /** The identity is that of another namespace. */
  readonly isForeign: boolean;
  /** It is, and nobody asked for it who may get the backups there: by what the PVC says of itself. */
  readonly isBorrowed: boolean;
  readonly uid: number;
  readonly gid: number;
  /** In milliseconds. */
  readonly minBackupAge: number;
  /** Absent: a restore is not skipped. */
  readonly skip: { readonly reason: string | undefined } | undefined;
  readonly trigger: string | undefined;
  /** It is unprotected on purpose. */
  readonly exempt: { readonly reason: string | undefined } | undefined;
  /** The label of earlier operators, for reports. */
  readonly legacy: string | undefined;
  /** Values that this API does not understand: the default holds for each. */
  readonly problems: readonly ParseProblem[];
}

export interface ParseProblem {
  /** The label or annotation. */
  readonly key: string;
  /** What is wrong with it, and what it may be. */
  readonly message: string;
}

/** What is wrong with the first of these labels and annotations of which something is. */
export function problemWith(
  { problems }: Pick<ParsedPvc, "problems">,
  ...keys: readonly string[]
): ParseProblem | undefined {
  return problems.find(({ key }) => keys.includes(key));
}

const LONGEST_REASON = 512;
const LONGEST_TRIGGER = 253;
/** Longer than any volume waits for its first backup. */
const LONGEST_AGE = 366 * 86_400_000;

/** How a value is read, and what it may be. */
interface Reader<T> {
  readonly parse: (text: string) => T | undefined;
  readonly may: string;
}

/** Reads the labels and annotations of a PVC, whose namespace is given: it may not be stored yet. */
export function parsePvc(
  { metadata }: Pick<KubeObject, "metadata">,
  settings: Pick<PlumberSettings, "mode" | "uid" | "gid" | "minBackupAge">,
): ParsedPvc {
  // A name that the API server is still to make up is missing.
  const { namespace = "", name = "", labels = {}, annotations = {} } = metadata;
  const problems: ParseProblem[] = [];
  const read = <T>(key: string, text: string | undefined, { parse, may }: Reader<T>): T | undefined => {
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) {
      problems.push({ key, message: `${key} is ${JSON.stringify(shown(text))}: it must be ${may}` });
    }
    return value;
  };
  const label = <T>(key: string, reader: Reader<T>) => read(key, labels[key], reader);
  const annotation = <T>(key: string, reader: Reader<T>) => read(key, annotations[key], reader);
  const enabled = label(LABELS.enabled, FLAG);
  const managed = label(LABELS.manage, FLAG) ?? false;
  const tier = label(LABELS.tier, TIER);
  const mode = annotation(ANNOTATIONS.mode, MODE);
  const restoreMode = annotation(ANNOTATIONS.restoreMode, MODE);
  const identity = annotation(ANNOTATIONS.backupIdentity, IDENTITY);
  const uid = annotation(ANNOTATIONS.uid, ID);
  const gid = annotation(ANNOTATIONS.gid, ID);
  const age = annotation(ANNOTATIONS.minBackupAge, AGE);
  const skips = annotation(ANNOTATIONS.skipRestore, FLAG) ?? false;
  const reason = annotation(ANNOTATIONS.skipRestoreReason, REASON);
  const exempt = label(LABELS.exempt, FLAG) ?? false;
  const exemptReason = annotation(ANNOTATIONS.exemptReason, REASON);
  const trigger = annotation(ANNOTATIONS.trigger, TRIGGER);
  const named = identity ?? defaultIdentity(namespace, name);
  const isForeign = named.hostname !== namespace;
  return {
    enabled,
    managed,
    tier,
    hasTier: labels[LABELS.tier] !== undefined,
    ...modesOf(mode, restoreMode, settings.mode),
    identity: named,
    isForeign,
    isBorrowed: isForeign && annotations[STATE_ANNOTATIONS.allowedIdentity] !== named.text,
    uid: uid ?? settings.uid,
    gid: gid ?? settings.gid,
    minBackupAge: age ?? settings.minBackupAge,
    skip: skips ? { reason } : undefined,
    trigger,
    exempt: exempt ? { reason: exemptReason } : undefined,
    legacy: labels[LABELS.legacy],
    problems,
  };
}

/**
 * The mode of the PVC, and that of its restore decision. `never` and `force` are about the restore alone: a PVC with one
 * of these as its mode is otherwise written for as in permissive and in enforce.
 */
function modesOf(
  mode: RestoreMode | undefined,
  restoreMode: RestoreMode | undefined,
  fallback: Mode,
): { readonly mode: Mode; readonly restoreMode: RestoreMode } {
  const own =
    mode === undefined ? fallback : isMode(mode) ? mode : mode === "force" ? "enforce" : "permissive";
  return { mode: own, restoreMode: restoreMode ?? mode ?? fallback };
}

const isMode = (word: RestoreMode): word is Mode => MODES.some((one) => one === word);

const oneOf = <T extends string>(words: readonly T[]): Reader<T> => ({
  parse: (text) => words.find((one) => one === text),
  may: `one of ${words.join(", ")}`,
});

const textUpTo = (most: number): Reader<string> => ({
  parse(text) {
    const trimmed = text.trim();
    return trimmed !== "" && trimmed.length <= most ? trimmed : undefined;
  },
  may: `a text of 1 to ${most} characters`,
});

const FLAG: Reader<boolean> = {
  parse: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  may: '"true" or "false"',
};
const TIER = oneOf(TIERS);
const MODE = oneOf(RESTORE_MODES);
const IDENTITY: Reader<BackupIdentity> = {
  parse: parseIdentity,
  may: "<name> or <namespace>/<name>, in lower case, digits, '-' and '.', with at most 253 characters each",
};
const ID: Reader<number> = {
  parse: (text) => (/^(0|[1-9]\d{0,9})$/.test(text) && Number(text) <= MAX_ID ? Number(text) : undefined),
  may: `a whole number from 0 to ${MAX_ID}`,
};
const AGE: Reader<number> = {
  parse(text) {
    try {
      const ms = durationMs(text);
      return ms <= LONGEST_AGE ? ms : undefined;
    } catch {
      return undefined;
    }
  },
  may: "a duration of at most a year, such as 2h or 30m",
};
const REASON = textUpTo(LONGEST_REASON);
const TRIGGER = textUpTo(LONGEST_TRIGGER);

function shown(text: string): string {
  return text.length <= 64 ? text : `${text.slice(0, 63)}…`;
}
