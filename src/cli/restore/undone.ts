import { hasLeftIncomplete, makesWhole } from "../../core/restore/target_incomplete.ts";
import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import type { Restore } from "../../kinds/kopiur/generated/restore.ts";
import { EXIT } from "../frame/exit_codes.ts";
import type { Given } from "../frame/given.ts";
import { referenceOf } from "../frame/kinds.ts";
import { CommandProblem, misuse } from "../frame/problem.ts";

/** Options that say where something else is restored from or to: what is undone says that. */
const SAID_BY_RESTORE = ["to", "into", "for-claims", "path", "to-path", "as-of", "offset", "snapshot", "pvc"];

/** A command line, and what a person has to know of it. */
export interface Undone {
  readonly given: Given;
  readonly notes: readonly string[];
}

/**
 * The command line that goes back to how a volume was before a restore: the named one, or the last. Where that one came
 * after others that had left the volume half written, it goes back to before the first of them.
 */
export function undone(given: Given, restores: readonly Restore[]): Undone {
  const option = SAID_BY_RESTORE.find((one) => given.flag(one) || given.text(one) !== undefined);
  if (option !== undefined)
    throw misuse(
      `--${option} has no effect with --undo`,
      "The Restore that is undone says it: leave it out.",
    );
  const { word, restore, since = [] } = meant(given, restores);
  const claim = restore?.spec.target?.pvcRef?.name;
  if (!restore || !safetyBackupOf(restore) || !claim)
    throw new CommandProblem(`there is no backup from before ${word}`, {
      why: "Only a restore into an existing claim that was made with a backup first can be undone.",
      fix: "Restore one of its earlier backups: holdfast list backups shows them.",
      code: EXIT.notFound,
    });
  const first = firstBroken(restore, restores) ?? restore;
  const backup = safetyBackupOf(first);
  if (!backup)
    throw new CommandProblem(`there is no backup of ${claim} from before it was half written`, {
      why: `restore/${first.metadata.name} left it so, and was made without a backup first. The one from before restore/${restore.metadata.name} holds the half-written volume.`,
      fix: "Restore one of its earlier backups: holdfast list backups shows them.",
      code: EXIT.notFound,
    });
  return {
    given: given.with([`backup/${backup}`], { into: claim, pvc: claim, "delete-extra": true }),
    notes: [...since.map(withoutBackup), ...(first === restore ? [] : [chainText(restore, first, claim)])],
  };
}

/** The first of the restores that had left a volume half written before this one began, one after the other. */
function firstBroken(restore: Restore, restores: readonly Restore[]): Restore | undefined {
  const claim = restore.spec.target?.pvcRef?.name;
  const before = newestFirst(restores).filter(
    (one) => one.spec.target?.pvcRef?.name === claim && createdAt(one) < createdAt(restore),
  );
  const whole = before.findIndex((one) => makesWhole(one, EVER));
  return before.slice(0, whole < 0 ? undefined : whole).findLast(hasLeftIncomplete);
}

const EVER = "1970-01-01T00:00:00Z";

function chainText(restore: Restore, first: Restore, claim: string): string {
  return `restore/${first.metadata.name} left ${claim} half written before restore/${restore.metadata.name} began: this goes back to before restore/${first.metadata.name}`;
}

/** It cannot be undone, and what it wrote goes all the same. */
function withoutBackup({ metadata: { name }, spec }: Restore): string {
  return `restore/${name} into ${spec.target?.pvcRef?.name} was made since, without a backup first: this goes back to before an earlier restore`;
}

/** The Backup from before it: made by this program, or by the operator. */
function safetyBackupOf({ metadata, status }: Restore): string | undefined {
  return metadata.annotations?.[ANNOTATIONS.safetyBackup] ?? status?.safetyBackup;
}

/** `since`: restores in place that came later, and have no backup. */
interface Meant {
  readonly word: string;
  readonly restore?: Restore;
  readonly since?: readonly Restore[];
}

function meant(given: Given, restores: readonly Restore[]): Meant {
  const [text] = given.words;
  if (text !== undefined) {
    const { name } = referenceOf(text, { kinds: ["restore"], usual: "restore" });
    const restore = restores.find(({ metadata }) => metadata.name === name);
    return { word: `restore/${name}`, ...(restore ? { restore } : {}) };
  }
  const word = "any restore of this namespace";
  const inPlace = newestFirst(restores).filter(({ spec }) => spec.target?.pvcRef !== undefined);
  const at = inPlace.findIndex((one) => safetyBackupOf(one) !== undefined);
  const [restore] = inPlace.slice(at);
  return at < 0 || !restore ? { word } : { word, restore, since: inPlace.slice(0, at) };
}

function newestFirst(restores: readonly Restore[]): readonly Restore[] {
  return restores.toSorted((a, b) => createdAt(b) - createdAt(a));
}

function createdAt({ metadata }: Restore): number {
  return Date.parse(metadata.creationTimestamp);
}
