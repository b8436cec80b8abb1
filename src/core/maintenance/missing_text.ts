import type { HitState, MissingState } from "./maintenance.ts";

const MOST_NAMED = 3;

/** What to do about it: what heals it is outside of the repository. */
export const MISSING_REMEDY =
  "Delete nothing in the repository, and bring the missing files of its storage back from a version or a copy of the storage. New backups do not heal it. No maintenance runs before a check finds everything there.";

/** What the storage has lost and who is hit, for people. It stays the same for as long as nothing else is missing. */
export function missingText({ packs, snapshots, unexamined = 0, hit = [] }: MissingState): string {
  const lost = `The storage has lost ${counted(packs, "pack")} of the repository.`;
  if (snapshots === undefined) return `${lost} The list of snapshots cannot be read.`;
  const more = unexamined > 0 ? ` ${counted(unexamined, "older snapshot")} could not be examined.` : "";
  if (snapshots === 0) return `${lost} No snapshot needs ${packs === 1 ? "it" : "them"} so far.${more}`;
  const named = hit.slice(0, MOST_NAMED).map(hitText);
  const others = snapshots - named.length;
  const rest = others > 0 ? `, and ${counted(others, "other")}` : "";
  const are = snapshots === 1 ? "is" : "are";
  return `${lost} ${counted(snapshots, "snapshot")} ${are} not whole: ${named.join(", ")}${rest}.${more}`;
}

function hitText({ backup, identity, startedAt, files, examples = [] }: HitState) {
  const what = backup ? `backup ${backup}` : `${identity}${startedAt ? ` of ${startedAt}` : ""}`;
  const [example] = examples;
  return `${what} (${counted(files, "file")}${example === undefined ? "" : `, such as ${example}`})`;
}

function counted(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? "" : "s"}`;
}
