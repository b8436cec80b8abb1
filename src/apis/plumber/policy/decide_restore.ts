import type { Truth } from "../../../core/catalog/truth/truth.ts";
import { ANNOTATIONS, type Mode, type RestoreMode } from "../../../kinds/plumber/words.ts";
import type { Gate } from "./gates.ts";
import { type ParsedPvc, problemWith } from "./parse_pvc.ts";

/** All that the decision depends on. */
export interface RestoreQuestion {
  readonly pvc: Pick<ParsedPvc, "mode" | "restoreMode" | "skip" | "problems" | "identity">;
  readonly gate: Gate;
  readonly truth: Truth;
  /** The key of another PVC with the same identity. */
  readonly duplicate: string | undefined;
}

/** Why a PVC is admitted or denied, in one word: the same in the event, the log and the metric. */
export const RESTORE_REASONS = {
  restoreInjected: "RestoreInjected",
  /** The repository answered that there is no backup: the PVC may start empty. */
  backupStateKnown: "BackupStateKnown",
  backupStateUnknown: "BackupStateUnknown",
  cacheStale: "CacheStale",
  restoreSkipped: "RestoreSkipped",
  skipWithoutReason: "SkipWithoutReason",
  neverRestored: "NeverRestored",
  nothingToForce: "NothingToForce",
  duplicateIdentity: "DuplicateBackupIdentity",
  invalidAnnotation: "InvalidAnnotation",
} as const;
export type RestoreReason = (typeof RESTORE_REASONS)[keyof typeof RESTORE_REASONS];

export interface Note {
  readonly reason: RestoreReason;
  /** What is so, and what to do about it. */
  readonly message: string;
}

/** What becomes of a PVC on its way in. */
export interface RestoreDecision extends Note {
  readonly allowed: boolean;
  /** The PVC gets its data from the Restore. */
  readonly inject: boolean;
  /** Mode of the decision: audit says what would happen, and lets it pass. */
  readonly mode: RestoreMode;
  readonly warnings: readonly Note[];
}

const R = RESTORE_REASONS;

/**
 * Whether a PVC is admitted, and whether it is restored. A mode that nobody understands comes first, since any other
 * might be weaker; then what strict refuses, since it is about backups as much as about the restore; then skip-restore,
 * never, force, and the table.
 */
export function decideRestore(question: RestoreQuestion): RestoreDecision {
  const { pvc, gate } = question;
  const restoreMode = gate.open ? pvc.restoreMode : "audit";
  const mode = gate.open ? pvc.mode : "audit";
  const outcome = modeRule(question) ?? strictRules(question, mode) ?? restoreRules(question, restoreMode);
  const warnings = [...warningsOf(question, mode), ...(outcome.warnings ?? [])];
  const { reason, message } = outcome;
  const decision = { reason, message, mode: restoreMode, warnings };
  if (restoreMode === "audit" && !outcome.always) {
    return { ...decision, allowed: true, inject: false };
  }
  return { ...decision, allowed: outcome.action !== "deny", inject: outcome.action === "inject" };
}

interface Outcome extends Note {
  readonly action: "allow" | "inject" | "deny";
  readonly warnings?: readonly Note[];
  /** Whatever the mode of the restore. */
  readonly always?: true;
}

/** What was meant may be more than the default is. */
function modeRule({ pvc, gate }: RestoreQuestion): Outcome | undefined {
  const problem = gate.open ? problemWith(pvc, ANNOTATIONS.mode, ANNOTATIONS.restoreMode) : undefined;
  return problem && { action: "deny", always: true, ...invalidNote([problem]) };
}

/** What strict refuses whatever becomes of the restore. */
function strictRules({ pvc, duplicate }: RestoreQuestion, mode: Mode): Outcome | undefined {
  if (mode !== "strict") return undefined;
  if (pvc.problems.length > 0) return { action: "deny", always: true, ...invalidNote(pvc.problems) };
  if (duplicate === undefined) return undefined;
  return { action: "deny", always: true, ...duplicateNote(pvc.identity.text, duplicate) };
}

function warningsOf({ pvc, duplicate }: RestoreQuestion, mode: Mode): readonly Note[] {
  if (mode === "strict") return [];
  return [
    ...(pvc.problems.length > 0 ? [invalidNote(pvc.problems)] : []),
    ...(duplicate === undefined ? [] : [duplicateNote(pvc.identity.text, duplicate)]),
  ];
}

function restoreRules({ pvc, truth }: RestoreQuestion, mode: RestoreMode): Outcome {
  const { skip, identity } = pvc;
  if (skip) return skipRule(skip.reason);
  if (mode === "never") {
    const message = `The PVC starts empty: ${ANNOTATIONS.restoreMode} is never.`;
    return { action: "allow", reason: R.neverRestored, message };
  }
  if (mode === "force") return forceRule(identity.text, truth);
  return tableRule(identity.text, truth, mode);
}

function skipRule(reason: string | undefined): Outcome {
  if (reason !== undefined) {
    return {
      action: "allow",
      reason: R.restoreSkipped,
      message: `The PVC starts empty on request: ${reason}`,
    };
  }
  const message = `${ANNOTATIONS.skipRestore} needs a reason: say in ${ANNOTATIONS.skipRestoreReason} why the PVC may start empty.`;
  return { action: "deny", reason: R.skipWithoutReason, message };
}

function forceRule(identity: string, truth: Truth): Outcome {
  if (truth.answer === "yes") return injected(identity, truth);
  const why = truth.answer === "no" ? `there is no backup of ${identity}` : truth.message;
  const message = `${ANNOTATIONS.restoreMode} is force, and ${lowered(why)}`;
  return { action: "deny", reason: R.nothingToForce, message: ended(message) };
}

function tableRule(identity: string, truth: Truth, mode: Mode): Outcome {
  const denies = mode === "enforce" || mode === "strict";
  if (truth.answer === "unknown") return unknownRule(identity, truth.message, denies);
  if (!truth.stale) {
    if (truth.answer === "yes") return injected(identity, truth);
    const message = `The repository has no backup of ${identity}: the PVC starts empty.`;
    return { action: "allow", reason: R.backupStateKnown, message };
  }
  if (mode === "strict") {
    return {
      action: "deny",
      ...staleNote(identity),
      message: `${staleNote(identity).message} ${WAIT_OR_SKIP}`,
    };
  }
  if (truth.answer === "yes") return injected(identity, truth);
  return unknownRule(identity, staleNote(identity).message, denies);
}

function unknownRule(identity: string, why: string, denies: boolean): Outcome {
  const reason = R.backupStateUnknown;
  if (denies) {
    const message = `Nobody knows whether ${identity} has a backup, so the PVC must not start empty. ${ended(why)} ${WAIT_OR_SKIP}`;
    return { action: "deny", reason, message };
  }
  const message = `The PVC starts empty although nobody knows whether ${identity} has a backup. ${ended(why)}`;
  return { action: "allow", reason, message, warnings: [{ reason, message }] };
}

const WAIT_OR_SKIP = `Apply the PVC again once the repository answers; or set ${ANNOTATIONS.skipRestore} to "true", with a reason, to start empty.`;

/** A stale yes is still a yes: restoring is the safe direction. */
function injected(identity: string, truth: Truth & { readonly answer: "yes" }): Outcome {
  const message = `The PVC is restored from the backup of ${identity}, the newest of which is of ${truth.newestAt}.`;
  const warnings = truth.stale ? [staleNote(identity)] : [];
  return { action: "inject", reason: R.restoreInjected, message, warnings };
}

function staleNote(identity: string): Note {
  const message = `The list of backups is too old to rely on for ${identity}; the operator reads it again.`;
  return { reason: R.cacheStale, message };
}

function invalidNote(problems: ParsedPvc["problems"]): Note {
  const message = ended(problems.map((one) => one.message).join("; "));
  return { reason: R.invalidAnnotation, message };
}

function duplicateNote(identity: string, other: string): Note {
  const message = `PVC ${other} has the backup identity ${identity}, too: their backups would be one history. Give one of them another ${ANNOTATIONS.backupIdentity}.`;
  return { reason: R.duplicateIdentity, message };
}

const lowered = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
const ended = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);
