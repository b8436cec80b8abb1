import type { BackupConfigSpec } from "../../../kinds/kopiur/generated/backup_config.ts";
import { type Problem, refused } from "../problem.ts";

/** What of a recipe cannot be done. Nothing is left out in silence: a recipe is run as it is written, or not at all. */
export function unsupported(spec: BackupConfigSpec): Problem | undefined {
  for (const rule of RULES) {
    const problem = rule(spec);
    if (problem) return problem;
  }
  return undefined;
}

type Rule = (spec: BackupConfigSpec) => Problem | undefined;

const RULES: readonly Rule[] = [noSplitter];

function noSplitter({ policy }: BackupConfigSpec): Problem | undefined {
  if (policy.splitter === undefined) return undefined;
  return refused(
    "Unsupported",
    "A splitter can only be chosen when a repository is created. Remove policy.splitter, or set create.splitter of a new Repository.",
  );
}
