import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import type { Restore } from "../../kinds/kopiur/generated/restore.ts";
import { EXIT } from "../frame/exit_codes.ts";
import type { Given } from "../frame/given.ts";
import { referenceOf } from "../frame/kinds.ts";
import { CommandProblem, misuse } from "../frame/problem.ts";

/** Options that say where something else is restored from or to: what is undone says that. */
const SAID_BY_RESTORE = ["to", "into", "for-claims", "path", "to-path", "as-of", "offset", "snapshot", "pvc"];

/** The command line that goes back to how a volume was before a restore: the named one, or the last. */
export function undone(given: Given, restores: readonly Restore[]): Given {
  const option = SAID_BY_RESTORE.find((one) => given.flag(one) || given.text(one) !== undefined);
  if (option !== undefined)
    throw misuse(
      `--${option} has no effect with --undo`,
      "The Restore that is undone says it: leave it out.",
    );
  const { word, restore } = meant(given, restores);
  const backup = restore && safetyBackupOf(restore);
  const claim = restore?.spec.target?.pvcRef?.name;
  if (!backup || !claim)
    throw new CommandProblem(`there is no backup from before ${word}`, {
      why: "Only a restore into an existing claim that was made with a backup first can be undone.",
      fix: "Restore one of its earlier backups: holdfast list backups shows them.",
      code: EXIT.notFound,
    });
  return given.with([`backup/${backup}`], { into: claim, pvc: claim, "delete-extra": true });
}

/** The Backup from before it: made by this program, or by the operator. */
function safetyBackupOf({ metadata, status }: Restore): string | undefined {
  return metadata.annotations?.[ANNOTATIONS.safetyBackup] ?? status?.safetyBackup;
}

function meant(
  given: Given,
  restores: readonly Restore[],
): { readonly word: string; readonly restore?: Restore } {
  const [text] = given.words;
  if (text !== undefined) {
    const { name } = referenceOf(text, { kinds: ["restore"], usual: "restore" });
    const restore = restores.find(({ metadata }) => metadata.name === name);
    return { word: `restore/${name}`, ...(restore ? { restore } : {}) };
  }
  const [last] = restores
    .filter((one) => safetyBackupOf(one) !== undefined)
    .toSorted((a, b) => Date.parse(b.metadata.creationTimestamp) - Date.parse(a.metadata.creationTimestamp));
  return { word: "any restore of this namespace", ...(last ? { restore: last } : {}) };
}
