import { EXIT } from "../frame/exit_codes.ts";
import { CommandProblem } from "../frame/problem.ts";
import { isNamed } from "./recipe_backups.ts";

/** A volume of a Backup or a recipe. What was found after a loss names no claim. */
export interface Volume {
  readonly pvc?: string | undefined;
  readonly sourcePath: string;
}

/** What a Restore may take its data from. */
export interface Volumes<V extends Volume> {
  /** Such as `backup monday`. */
  readonly of: string;
  readonly all: readonly V[];
  /** They are selected by labels: the only one that there is now need not be the one that is meant. */
  readonly open?: boolean;
}

export interface VolumeChoice {
  /** What names it: its claim, or its path. */
  readonly word: string | undefined;
  /** The claim that is written to; none for claims that name the Restore. */
  readonly target: string | undefined;
}

/**
 * The volume whose data a Restore takes, by the operator's own rule: the one that is named, the only one, or the target's
 * namesake. Undefined where none is known yet, or each claim gets that of its own name. Throws a CommandProblem where the
 * operator would refuse.
 */
export function meantVolume<V extends Volume>(
  { of, all, open = false }: Volumes<V>,
  { word, target }: VolumeChoice,
): V | undefined {
  const [only, ...others] = all;
  if (!only) return undefined;
  if (others.length === 0 && word === undefined && !open) return only;
  const wanted = word ?? target;
  if (wanted === undefined) return undefined;
  const [found, ...more] = all.filter((volume) => isNamed(volume, wanted));
  if (found && more.length === 0) return found;
  // Whatever names the Restore may come to be selected later.
  if (open && target === undefined) return undefined;
  const why = `There ${others.length === 0 ? "is" : "are"} ${all.map(bothNames).join(", ")}.`;
  const fix = "Name one with --pvc, by its claim or its path.";
  if (!found && word !== undefined)
    throw new CommandProblem(`${of} has no volume ${word}`, { why, fix, code: EXIT.notFound });
  throw new CommandProblem(`which volume of ${of} is meant is not clear`, { why, fix, code: EXIT.usage });
}

/** How a plan calls it. */
export function volumeText({ pvc, sourcePath }: Volume): string {
  return pvc ?? sourcePath;
}

function bothNames({ pvc, sourcePath }: Volume): string {
  return pvc === undefined ? sourcePath : `${pvc} (${sourcePath})`;
}
