import type { BackupConfigSpec } from "../../../kinds/kopiur/generated/backup_config.ts";
import { CAPABILITIES, type EngineName } from "../../../wire/capabilities.ts";
import { type Problem, refused } from "../problem.ts";

/** What of a recipe cannot be done. Nothing is left out in silence: a recipe is run as it is written, or not at all. */
export function unsupported(spec: BackupConfigSpec, engine: EngineName): Problem | undefined {
  for (const rule of RULES) {
    const problem = rule(spec, engine);
    if (problem) return problem;
  }
  return undefined;
}

type Rule = (spec: BackupConfigSpec, engine: EngineName) => Problem | undefined;

const RULES: readonly Rule[] = [noHooks, noSplitter, compression];

function noHooks({ hooks }: BackupConfigSpec): Problem | undefined {
  if (!hooks?.beforeSnapshot?.length && !hooks?.afterSnapshot?.length) return undefined;
  return refused("HooksUnsupported", "Hooks cannot be run yet. Remove spec.hooks.");
}

function noSplitter({ policy }: BackupConfigSpec): Problem | undefined {
  if (policy.splitter === undefined) return undefined;
  return refused(
    "Unsupported",
    "A splitter can only be chosen when a repository is created. Remove policy.splitter, or set create.splitter of a new Repository.",
  );
}

function compression({ policy }: BackupConfigSpec, engine: EngineName): Problem | undefined {
  const { compressor, neverCompress } = policy.compression ?? {};
  const can = CAPABILITIES[engine];
  if (compressor !== undefined && !can.compression.includes(compressor)) {
    return refused(
      "Unsupported",
      `${engine} has no compressor ${compressor}. Choose one of ${can.compression.join(", ")}.`,
    );
  }
  if (neverCompress?.length && !can.neverCompress) {
    return refused(
      "Unsupported",
      `${engine} cannot leave files uncompressed by name. Remove policy.compression.neverCompress, or use engine kopia.`,
    );
  }
  return undefined;
}
