import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { namedPaths } from "./recorded_paths.ts";
import type { Violation } from "./violation.ts";

/** Sources of one recipe that are recorded under one path could not be told apart. */
export function repeatedPaths(config: BackupConfig): readonly Violation[] {
  const first = new Map<string, string>();
  return namedPaths(config).flatMap(({ path, field }) => {
    const before = first.get(path);
    first.set(path, before ?? field);
    if (before === undefined) return [];
    return [
      {
        reason: "IdentityCollision",
        field,
        what: `the path ${path} is recorded twice`,
        why: `${before} has it too, and their snapshots could not be told apart`,
        fix: "Remove one of them, or set another sourcePathOverride",
      },
    ];
  });
}
