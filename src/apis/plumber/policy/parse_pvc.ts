import { durationMs } from "../../../core/policy/duration.ts";
import {
  ANNOTATIONS,
  LABELS,
  MODES,
  type Mode,
  RESTORE_MODES,
  type RestoreMode,
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

const LONGEST_REASON = 512;
const LONGEST_TRIGGER = 253;
/** Longer than any volume waits for its first backup. */
const LONGEST_AGE = 366 * 86_400_000;

/** Reads the labels and annotations of a PVC, whose namespace is given: it may not be stored yet. */
export function parsePvc(
  { metadata }: Pick<KubeObject, "metadata">,
  settings: Pick<PlumberSettings, "mode" | "uid" | "gid" | "minBackupAge">,
): ParsedPvc {
  const { namespace = "", name, labels = {}, annotations = {} } = metadata;
  const problems: ParseProblem[] = [];
  const read = <T>(
    from: Readonly<Record<string, string>>,
    key: string,
    parse: (text: string) => T | undefined,
    may: string,
  ): T | undefined => {
    const text = from[key];
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) {
      problems.push({ key, message: `${key} is ${JSON.stringify(shown(text))}: it must be ${may}` });
    }
    return value;
  };
  const enabled = read(labels, LABELS.enabled, flag, '"true" or "false"');
  const managed = read(labels, LABELS.manage, flag, '"true" or "false"') ?? false;
  const tier = read(labels, LABELS.tier, (text) => TIERS.find((one) => one === text), oneOf(TIERS));
  const mode = read(
    annotations,
    ANNOTATIONS.mode,
    (text) => RESTORE_MODES.find((one) => one === text),
    oneOf(RESTORE_MODES),
  );
  const restoreMode = read(
    annotations,
    ANNOTATIONS.restoreMode,
    (text) => RESTORE_MODES.find((one) => one === text),
    oneOf(RESTORE_MODES),
  );
  const own = defaultIdentity(namespace, name);
  const identity = read(
    annotations,
    ANNOTATIONS.backupIdentity,
    parseIdentity,
    "<name> or <namespace>/<name>, in lower case, digits, '-' and '.', with at most 253 characters each",
  );
  const uid = read(annotations, ANNOTATIONS.uid, idNumber, ID);
  const gid = read(annotations, ANNOTATIONS.gid, idNumber, ID);
  const age = read(
    annotations,
    ANNOTATIONS.minBackupAge,
    ageMs,
    "a duration of at most a year, such as 2h or 30m",
  );
  const skips = read(annotations, ANNOTATIONS.skipRestore, flag, '"true" or "false"') ?? false;
  const reason = read(annotations, ANNOTATIONS.skipRestoreReason, textUpTo(LONGEST_REASON), REASON);
  const exempt = read(labels, LABELS.exempt, flag, '"true" or "false"') ?? false;
  const exemptReason = read(annotations, ANNOTATIONS.exemptReason, textUpTo(LONGEST_REASON), REASON);
  const trigger = read(
    annotations,
    ANNOTATIONS.trigger,
    textUpTo(LONGEST_TRIGGER),
    `a text of 1 to ${LONGEST_TRIGGER} characters`,
  );
  const chosen = modesOf(mode, restoreMode, settings.mode);
  return {
    enabled,
    managed,
    tier,
    hasTier: labels[LABELS.tier] !== undefined,
    ...chosen,
    identity: identity ?? own,
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

function flag(text: string): boolean | undefined {
  return text === "true" ? true : text === "false" ? false : undefined;
}

const ID = `a whole number from 0 to ${MAX_ID}`;

function idNumber(text: string): number | undefined {
  return /^(0|[1-9]\d{0,9})$/.test(text) && Number(text) <= MAX_ID ? Number(text) : undefined;
}

function ageMs(text: string): number | undefined {
  try {
    const ms = durationMs(text);
    return ms <= LONGEST_AGE ? ms : undefined;
  } catch {
    return undefined;
  }
}

const REASON = `a text of 1 to ${LONGEST_REASON} characters`;

const textUpTo = (most: number) => (text: string) => {
  const trimmed = text.trim();
  return trimmed !== "" && trimmed.length <= most ? trimmed : undefined;
};

const oneOf = (words: readonly string[]) => `one of ${words.join(", ")}`;

function shown(text: string): string {
  return text.length <= 64 ? text : `${text.slice(0, 63)}…`;
}
